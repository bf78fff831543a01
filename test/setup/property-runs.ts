/** What an ordinary run of the tests makes of a large number of cases. */
const SHARE = 1 / 8;
const FEWEST = 50;

/** `npm run fuzz` sets it: all cases, from this seed. */
const full = process.env.FUZZ_SEED;

const today = Math.floor(Date.now() / 86_400_000);

/**
 * How many cases of a property a run makes, and from which seed: all of them in `npm run fuzz`, otherwise an eighth of
 * them from a seed that is the same all day (UTC), so that a failure of today is repeated by the next run.
 */
export const propertyRuns = (cases: number): { numRuns: number; seed: number } =>
  full === undefined
    ? { numRuns: Math.min(cases, Math.max(FEWEST, Math.ceil(cases * SHARE))), seed: today }
    : { numRuns: cases, seed: Number(full) };
