import { newValidationReport, type PendingReference, type ValidationContext } from "#shared/data/schema/schema";
import type { Issue } from "#shared/foundation/faults";
import type { HeldReferences } from "./batch.ts";
import { referencesIn, type StoredReference } from "./renames/renames.ts";
import { failMissing } from "./resolve-references.ts";
import { collectionOf, ofIds, permitted, type StoredRecord } from "./stored-record.ts";
import type { Target } from "./target.ts";

/** A change of one record, as far as references need it. */
interface ReferringPatch {
  readonly id: string;
  readonly context: ValidationContext;
}

/** The patch that sends the reference, and the field that holds it. */
const senderOf = (patches: readonly ReferringPatch[], { at }: PendingReference) => {
  const patch = patches.find(({ context }) => context.at.every((part, index) => part === at[index]));
  return { id: patch?.id, field: String(at[patch?.context.at.length ?? 0]) };
};

const heldBy = (
  records: ReadonlyMap<string, StoredRecord>,
  patches: readonly ReferringPatch[],
  pending: PendingReference,
): StoredReference | undefined => {
  const { id, field } = senderOf(patches, pending);
  const { reference } = pending;
  return referencesIn(records.get(id ?? "")?.[field]).find(
    (stored) => stored.id === reference.id && stored.schema === reference.schema,
  );
};

const byId = (records: readonly StoredRecord[]): ReadonlyMap<string, StoredRecord> =>
  new Map(records.map((record) => [record._id, record]));

/**
 * Callers may send back what they have read: a reference that its record holds already is kept with its name, although
 * its target was deleted or the caller may not read it. The kept references are added to `kept`, to be checked again in
 * the transaction.
 */
export const heldReferences =
  (target: Target, patches: readonly ReferringPatch[], kept: PendingReference[]): HeldReferences =>
  async (missing) => {
    const match = permitted(target, ofIds(patches.map(({ id }) => id)));
    const records = byId(await collectionOf(target).find(match).toArray());
    for (const pending of missing) {
      const stored = heldBy(records, patches, pending);
      if (stored === undefined) continue;
      pending.reference.name = stored.name;
      kept.push(pending);
    }
    return kept;
  };

/** An issue for each kept reference that its record has lost since it was read. */
export const issuesOfLost = (
  before: readonly StoredRecord[],
  patches: readonly ReferringPatch[],
  kept: readonly PendingReference[],
): Issue[] => {
  const report = newValidationReport();
  const records = byId(before);
  for (const pending of kept) if (heldBy(records, patches, pending) === undefined) failMissing(report, pending);
  return report.issues;
};
