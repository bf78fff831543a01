/** The share of cases in an ordinary run. */
const SHARE = 1 / 8;
const FEWEST = 50;

/** Set by `npm run fuzz`: all cases, from this seed. */
const full = process.env.FUZZ_SEED;

const today = Math.floor(Date.now() / 86_400_000);

/**
 * The number of cases of a property and their seed: all in `npm run fuzz`, otherwise an eighth with a seed that changes
 * daily (UTC), so that a failure can be repeated on the same day.
 */
export const propertyRuns = (cases: number): { numRuns: number; seed: number } =>
  full === undefined
    ? { numRuns: Math.min(cases, Math.max(FEWEST, Math.ceil(cases * SHARE))), seed: today }
    : { numRuns: cases, seed: Number(full) };
