import type { AnyBulkWriteOperation, ClientSession, Document } from "mongodb";
import { type RecordRight, refersEqually, sharesEqually } from "#shared/data/access/access";
import type { ValidationContext } from "#shared/data/schema/schema";
import { now } from "#shared/foundation/clock";
import { type Issue, refuseIfAny } from "#shared/foundation/faults";
import { READERS_FIELD, readersOf, type Tenant } from "#shared/tenant/tenant";
import { auditChanges } from "./audit.ts";
import { activationStamp, guardAuthority } from "./authority.ts";
import { checkSize, finishChecks, type UnsettableValues } from "./batch.ts";
import type { Batch, Changes } from "./check-record.ts";
import { type CheckedWrite, isRuled, ruleIssues } from "./check-rules.ts";
import { definitionIssues, isDefinition } from "./definitions/definitions.ts";
import { heldValues, issuesOfLost } from "./held-values.ts";
import { notifyOwnersOfChanges } from "./owner-notices.ts";
import { protectChanges } from "./protect-changes.ts";
import { confirmNames, noteRenames, propagateRenames } from "./renames/renames.ts";
import { itemIssues, itemStamp, scheduleItems } from "./scheduling/scheduling.ts";
import { collectionOf, ofIds, permitted, readForWrite, type StoredRecord } from "./stored-record.ts";
import type { Target } from "./target.ts";
import { refuseRepeatedValues } from "./unique-values.ts";
import { completeLists } from "./value-lists.ts";

/** A change of one record. */
export interface Patch {
  readonly id: string;
  readonly changes: Changes;
  readonly context: ValidationContext;
}

export const merged = (before: StoredRecord, changes: Changes): StoredRecord => {
  const after: StoredRecord = { ...before };
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) delete after[name];
    else after[name] = value;
  }
  return after;
};

/** Writes only the fields that were sent, so that concurrent changes of other fields are kept. */
const operationOf = ({ id, changes }: Patch): AnyBulkWriteOperation<StoredRecord> => {
  const entries = Object.entries(changes);
  const gone = entries.filter(([, value]) => value === null);
  return {
    updateOne: {
      filter: { _id: id },
      update: {
        $set: Object.fromEntries(entries.filter(([, value]) => value !== null)),
        ...(gone.length > 0 ? { $unset: Object.fromEntries(gone.map(([name]) => [name, ""])) } : {}),
      },
    },
  };
};

/** The records with their stored values and the changes. */
const writesOf = (stored: readonly StoredRecord[], patches: readonly Patch[]): CheckedWrite[] => {
  const byId = new Map(patches.map((patch) => [patch.id, patch]));
  return stored.flatMap((before) => {
    const patch = byId.get(before._id);
    return patch === undefined ? [] : [{ before, after: merged(before, patch.changes), loc: patch.context.at }];
  });
};

/** The issues of the rules for changed records. */
export const ruleIssuesOf = async (
  target: Target,
  stored: readonly StoredRecord[],
  patches: readonly Patch[],
): Promise<Issue[]> => (isRuled(target, "update") ? ruleIssues(target, writesOf(stored, patches)) : []);

/**
 * What is checked before the transaction: definitions always, and the rules for a request that is refused anyway,
 * because all issues belong into one reply.
 */
const earlyIssues =
  (target: Target, { report }: Batch, patches: readonly Patch[]) =>
  async (): Promise<Issue[]> => {
    const withRules = report.issues.length > 0 && isRuled(target, "update");
    if (patches.length === 0 || !(withRules || isDefinition(target))) return [];
    const match = permitted(target, ofIds(patches.map(({ id }) => id)));
    const writes = writesOf(await collectionOf(target).find(match).toArray(), patches);
    const ruled = withRules ? await ruleIssues(target, writes, report.issues) : [];
    return [...ruled, ...(await definitionIssues(target, writes))];
  };

/** Who sees a record is for those to decide to whom it belongs, so a shared record's owner and shares are theirs. */
export const rightsNeeded = (patches: readonly Patch[]): ((record: StoredRecord) => RecordRight) => {
  const byId = new Map(patches.map(({ id, changes }) => [id, changes]));
  return (record) => {
    const { owner, shared_with } = byId.get(record._id) ?? {};
    const decides =
      (owner !== undefined && !refersEqually(owner, record.owner)) ||
      (shared_with !== undefined && !sharesEqually(shared_with, record.shared_with));
    return decides ? "own" : "edit";
  };
};

/** Checked changes, as they are stored. */
export interface ReadyBatch extends Batch {
  readonly patches: readonly Patch[];
  /** Accepted only because the records hold them already. */
  readonly kept: UnsettableValues;
  /** When they are changed; now by default. */
  readonly at?: Date;
}

/** What each change writes besides. */
export const stampOf = ({ caller }: Tenant, at: Date): Changes => ({
  modified_date: at,
  modified_by: { id: caller.id, schema: "user", name: caller.name },
});

/** Records before and after a change, and the ids of the renames to be propagated. */
export interface ChangedRecords {
  readonly changed: readonly { readonly before: StoredRecord; readonly after: StoredRecord }[];
  readonly renamed: readonly string[];
}

/** Stores checked changes in a transaction, with everything that belongs to them. */
export const changeRecords = async (
  target: Target,
  batch: ReadyBatch,
  session: ClientSession,
): Promise<ChangedRecords> => {
  const { tenant } = target;
  const { patches, report, kept } = batch;
  const at = batch.at ?? now();
  const stamp = stampOf(tenant, at);
  const before = await readForWrite(
    target,
    patches.map(({ id }) => id),
    rightsNeeded(patches),
    session,
  );
  const stamped = patches.map((patch, index) => {
    const own = itemStamp(target, before[index] ?? null, patch.changes, at);
    return { ...patch, changes: { ...patch.changes, ...stamp, ...own } };
  });
  const pending = before.map((record, index) => ({ before: record, changes: stamped[index]?.changes ?? {} }));
  const after = pending.map((change) => merged(change.before, change.changes));
  for (const [index, patch] of patches.entries()) checkSize(after[index] ?? {}, patch.context);
  const lost = issuesOfLost(target, before, patches, kept);
  const items = before.map((record, index) => ({
    before: record,
    changes: patches[index]?.changes ?? {},
    loc: patches[index]?.context.at ?? ["body"],
  }));
  refuseIfAny([
    ...report.issues,
    ...lost,
    ...itemIssues(target, items),
    ...(await ruleIssuesOf(target, before, stamped)),
  ]);
  refuseRepeatedValues(
    target,
    patches.map(({ changes }) => changes),
  );
  await guardAuthority(target, pending, session);
  const activated = pending.map((change, index) => ({
    ...change.changes,
    ...activationStamp(target, change),
    [READERS_FIELD]: readersOf((after[index] ?? change.before) as Document),
  }));
  const written = stamped.map((patch, index) => ({ ...patch, changes: activated[index] ?? patch.changes }));
  await collectionOf(target).bulkWrite(written.map(operationOf), { session });
  const changed = before.map((record, index) => ({ before: record, after: after[index] ?? record }));
  await auditChanges(target, changed, session);
  await completeLists(target, changed, session);
  await scheduleItems(target, changed, session);
  return { changed, renamed: await noteRenames(target, changed, session) };
};

/** What follows a change of records after its commit. */
export const followChange = async (
  target: Target,
  { report }: Batch,
  { changed, renamed }: ChangedRecords,
): Promise<void> => {
  const { tenant } = target;
  await propagateRenames(tenant, renamed);
  await confirmNames(
    tenant,
    report.references.map(({ reference }) => reference),
  );
  await notifyOwnersOfChanges(target, changed);
};

/** Patches as they are stored. */
export const protectPatches = async (target: Target, patches: readonly Patch[]): Promise<Patch[]> => {
  const stored = await protectChanges(target, patches);
  return patches.map((patch, index) => ({ ...patch, changes: stored[index] ?? patch.changes }));
};

/** The changes as they are stored. Raises `forbidden` and `validation_failed`. */
export const checkPatches = async (target: Target, batch: Batch, patches: readonly Patch[]): Promise<ReadyBatch> => {
  const kept = await finishChecks(target, batch, earlyIssues(target, batch, patches), heldValues(target, patches));
  return { ...batch, patches: await protectPatches(target, patches), kept };
};
