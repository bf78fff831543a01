import { valueMaskOf } from "#shared/data/access/access";
import {
  addIssue,
  newValidationReport,
  type PendingChoice,
  type PendingReference,
  type ValidationContext,
} from "#shared/data/schema/schema";
import type { Issue } from "#shared/foundation/faults";
import type { HeldValues, UnsettableValues } from "./batch.ts";
import { referencesIn, type StoredReference } from "./renames/renames.ts";
import { failMissing } from "./resolve-references.ts";
import { collectionOf, ofIds, permitted, type StoredRecord } from "./stored-record.ts";
import type { Target } from "./target.ts";

/** A change of one record, as far as its held values need it. */
interface SentPatch {
  readonly id: string;
  readonly context: ValidationContext;
}

/** The stored value of the field that sends something at this path. */
type StoredAt = (at: Issue["loc"]) => unknown;

/** Values of fields that the caller may not read count as not held: otherwise callers could guess them. */
const storedAt = (
  { access, object, schema }: Target,
  records: readonly StoredRecord[],
  patches: readonly SentPatch[],
): StoredAt => {
  const byId = new Map(records.map((record) => [record._id, record]));
  // The paths of the records of a request are equally long. A request may hold many thousands of references.
  const depth = patches[0]?.context.at.length ?? 0;
  const byPath = new Map(patches.map((patch) => [patch.context.at.join("/"), patch]));
  const isShown = (name: string): boolean => {
    const field = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
    return field !== undefined && access.fieldReadable(object, name) && valueMaskOf(field, access) === null;
  };
  return (at) => {
    const patch = byPath.get(at.slice(0, depth).join("/"));
    if (patch === undefined) return undefined;
    const field = String(at[depth]);
    return isShown(field) ? byId.get(patch.id)?.[field] : undefined;
  };
};

const heldReference = (stored: StoredAt, { reference, at }: PendingReference): StoredReference | undefined =>
  referencesIn(stored(at)).find(({ id, schema }) => id === reference.id && schema === reference.schema);

const holdsChoice = (stored: StoredAt, { text, at }: PendingChoice): boolean => {
  const value = stored(at);
  return Array.isArray(value) ? value.includes(text) : value === text;
};

/**
 * Callers may send back what they have read. A reference that its record holds already is kept with its name, although
 * its target was deleted or the caller may not read it, and so is a choice that is not in the field's list any more.
 */
export const heldValues =
  (target: Target, patches: readonly SentPatch[]): HeldValues =>
  async ({ references, choices }) => {
    const match = permitted(target, ofIds(patches.map(({ id }) => id)));
    const stored = storedAt(target, await collectionOf(target).find(match).toArray(), patches);
    const kept = references.filter((pending) => {
      const held = heldReference(stored, pending);
      if (held !== undefined) pending.reference.name = held.name;
      return held !== undefined;
    });
    return { references: kept, choices: choices.filter((choice) => holdsChoice(stored, choice)) };
  };

/** An issue for each kept value that its record has lost since it was read. Called in the transaction. */
export const issuesOfLost = (
  target: Target,
  before: readonly StoredRecord[],
  patches: readonly SentPatch[],
  kept: UnsettableValues,
): Issue[] => {
  const report = newValidationReport();
  const stored = storedAt(target, before, patches);
  for (const pending of kept.references) if (heldReference(stored, pending) === undefined) failMissing(report, pending);
  for (const choice of kept.choices) if (!holdsChoice(stored, choice)) addIssue(report, choice.issue);
  return report.issues;
};
