import type { AnyBulkWriteOperation, ClientSession, Document } from "mongodb";
import { type RecordRight, refersEqually, sharesEqually } from "#shared/data/access/access";
import { fail, type ValidationContext, within } from "#shared/data/schema/schema";
import { now } from "#shared/foundation/clock";
import { type Issue, refuseIfAny } from "#shared/foundation/faults";
import { READERS_FIELD, readersOf, type Tenant } from "#shared/tenant/tenant";
import { type ApiRecord, apiRecordOf, type Written, writtenOf } from "./api-record.ts";
import { auditChanges } from "./audit.ts";
import { activationStamp, guardAuthority } from "./authority.ts";
import {
  type Contexts,
  checkSize,
  contextsOf,
  finishChecks,
  itemsOf,
  newBatch,
  required,
  type UnsettableValues,
} from "./batch.ts";
import { type Batch, type Changes, checkFields, recordOf } from "./check-record.ts";
import { type CheckedWrite, isRuled, ruleIssues } from "./check-rules.ts";
import { definitionIssues, isDefinition } from "./definitions/definitions.ts";
import { heldValues, issuesOfLost } from "./held-values.ts";
import { ensureIndexes } from "./indexes.ts";
import { notifyOwnersOfChanges } from "./owner-notices.ts";
import { protectChanges } from "./protect-changes.ts";
import { confirmNames, noteRenames, propagateRenames } from "./renames/renames.ts";
import { collectionOf, ofIds, permitted, readForWrite, type StoredRecord } from "./stored-record.ts";
import { type Target, targetOf } from "./target.ts";
import { refuseRepeatedValues, toDuplicateValue } from "./unique-values.ts";
import { completeLists } from "./value-lists.ts";

/** A change of one record. */
export interface Patch {
  readonly id: string;
  readonly changes: Changes;
  readonly context: ValidationContext;
}

const merged = (before: StoredRecord, changes: Changes): StoredRecord => {
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

const ruleIssuesOf = async (
  target: Target,
  stored: readonly StoredRecord[],
  patches: readonly Patch[],
): Promise<Issue[]> => (isRuled(target, "update") ? ruleIssues(target, writesOf(stored, patches)) : []);

/**
 * What is checked before the transaction: definitions always, and the rules for a request that is refused anyway, because
 * all issues belong into one reply.
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
const rightsNeeded = (patches: readonly Patch[]): ((record: StoredRecord) => RecordRight) => {
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
}

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
  const stamp = {
    modified_date: now(),
    modified_by: { id: tenant.caller.id, schema: "user", name: tenant.caller.name },
  };
  const stamped = patches.map((patch) => ({ ...patch, changes: { ...patch.changes, ...stamp } }));
  const before = await readForWrite(
    target,
    patches.map(({ id }) => id),
    rightsNeeded(patches),
    session,
  );
  const pending = before.map((record, index) => ({ before: record, changes: stamped[index]?.changes ?? {} }));
  const after = pending.map((change) => merged(change.before, change.changes));
  for (const [index, patch] of patches.entries()) checkSize(after[index] ?? {}, patch.context);
  const lost = issuesOfLost(target, before, patches, kept);
  refuseIfAny([...report.issues, ...lost, ...(await ruleIssuesOf(target, before, stamped))]);
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

const write = async (target: Target, batch: ReadyBatch): Promise<StoredRecord[]> => {
  const done = await target.tenant.transaction((session) => changeRecords(target, batch, session));
  await followChange(target, batch, done);
  return done.changed.map(({ after }) => after);
};

/** The changes as they are stored. Raises `forbidden` and `validation_failed`. */
export const checkPatches = async (target: Target, batch: Batch, patches: readonly Patch[]): Promise<ReadyBatch> => {
  const kept = await finishChecks(target, batch, earlyIssues(target, batch, patches), heldValues(target, patches));
  const stored = await protectChanges(target, patches);
  const ready = patches.map((patch, index) => ({ ...patch, changes: stored[index] ?? patch.changes }));
  return { ...batch, patches: ready, kept };
};

const apply = async (target: Target, batch: Batch, patches: readonly Patch[]): Promise<Written> => {
  const ready = await checkPatches(target, batch, patches);
  await ensureIndexes(target);
  // Before the transaction, because it may need KMS.
  const apiRecord = await apiRecordOf(target);
  try {
    return await writtenOf(await write(target, ready), apiRecord);
  } catch (error) {
    throw toDuplicateValue(target, error, patches.length);
  }
};

/** `shared_with` is stored as an empty array, not removed. */
const withShares = ({ shared_with, ...changes }: Changes): Changes =>
  shared_with === undefined ? changes : { ...changes, shared_with: shared_with ?? [] };

const idOf = (data: Record<string, unknown>, context: ValidationContext): string | undefined => {
  const inner = within(context, "id");
  if (data.id === undefined) return fail(inner, "missing", "The id of the record to change is required.");
  if (typeof data.id === "string" && data.id !== "" && data.id.length <= 200) return data.id;
  return fail(inner, "string_type", "Expected the id of a record.", data.id);
};

const patchesOf = (target: Target, items: readonly unknown[], batch: Batch, contexts: Contexts): Patch[] => {
  const seen = new Set<string>();
  return items.flatMap((item, index): Patch[] => {
    const context = contexts(index);
    const data = recordOf(target, item, context);
    if (data === undefined) return [];
    const id = idOf(data, context);
    if (id !== undefined && seen.has(id)) fail(within(context, "id"), "duplicate", "This record is named twice.", id);
    if (id !== undefined) seen.add(id);
    const { id: _, ...fields } = data;
    const changes = withShares(checkFields(target, "update", fields, context, batch));
    return id === undefined ? [] : [{ id, changes, context }];
  });
};

/** See `RecordWriter.update`. */
export const updateRecords = async (tenant: Tenant, object: string, data: unknown): Promise<Written> => {
  const target = await targetOf(tenant, object, "update");
  const items = itemsOf(data);
  const batch = await newBatch(target, "update", items);
  return apply(target, batch, patchesOf(target, items, batch, contextsOf(batch, Array.isArray(data))));
};

/** See `RecordWriter.updateOne`. */
export const updateRecord = async (tenant: Tenant, object: string, id: string, data: unknown): Promise<ApiRecord> => {
  const target = await targetOf(tenant, object, "update");
  const batch = await newBatch(target, "update", [data]);
  const context = contextsOf(batch, false)(0);
  const fields = recordOf(target, required(data), context) ?? {};
  const changes = withShares(checkFields(target, "update", fields, context, batch));
  const { records } = await apply(target, batch, [{ id, changes, context }]);
  return records[0] ?? { id };
};
