import { type ConfigurationKind, configurationKinds } from "#contracts/sandbox-bodies";
import { log } from "#shared/foundation/log";
import type { Provisioning } from "#shared/tenant/provisioning/provisioning";
import type { Replacement } from "#shared/tenant/tenant";
import { SCHEMAS } from "../copying/configuration.ts";
import type { HeldSandbox } from "../registry.ts";
import { copyKind, indexCopy, LONGEST_COPY_MS, schemaInParent } from "./copy.ts";
import { completeStep, holdRun, type RunInput } from "./hold.ts";
import { provisioningOf } from "./place.ts";

/** A parent that is changed all the time is copied so often at most. Each kind is then as it was at one moment. */
const MOST_ROUNDS = 3;

type Versions = Readonly<Record<string, number>>;

const versionsOf = async (provisioning: Provisioning): Promise<Versions> => {
  const state = await provisioning.parentState();
  return { ...state?.collection_versions, schemas: state?.schema_version ?? 0 };
};

/** A change of the model changes what of the records is copied. */
const changedKinds = (before: Versions, after: Versions): ConfigurationKind[] =>
  before[SCHEMAS] === after[SCHEMAS]
    ? configurationKinds.filter((kind) => before[kind] !== after[kind])
    : [...configurationKinds];

const copyAgain = async (
  entry: HeldSandbox,
  provisioning: Provisioning,
  copies: readonly Replacement[],
  changed: readonly ConfigurationKind[],
): Promise<Replacement[]> => {
  const all = new Map(copies.map((copy) => [copy.to, copy]));
  for (const kind of changed) {
    const copy = await copyKind(entry, provisioning, kind);
    if (kind !== SCHEMAS) await indexCopy(provisioning, copy, await schemaInParent(provisioning, kind));
    const earlier = all.get(kind);
    all.set(kind, copy);
    if (earlier !== undefined) await provisioning.drop(earlier.from);
  }
  return [...all.values()];
};

/**
 * Copies again what was changed in the parent since the copy began, so that all kinds are as they were at one moment.
 */
export const settleCopiesStep = async (
  input: RunInput & { readonly copies: readonly Replacement[]; readonly versions: Versions },
): Promise<{ copies: Replacement[] }> => {
  const entry = await holdRun(input, "settle-copies", LONGEST_COPY_MS);
  const provisioning = await provisioningOf(entry);
  let copies = [...input.copies];
  let before = input.versions;
  for (let round = 0; ; round += 1) {
    const after = await versionsOf(provisioning);
    const changed = changedKinds(before, after);
    if (changed.length === 0) break;
    if (round === MOST_ROUNDS) {
      log.warn({ organization: entry._id, changed }, "the parent changes faster than it is copied");
      break;
    }
    copies = await copyAgain(entry, provisioning, copies, changed);
    before = after;
  }
  await completeStep(input, "settle-copies");
  return { copies };
};
