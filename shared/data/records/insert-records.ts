import type { ClientSession } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import { now } from "#shared/foundation/clock";
import { refuseIfAny } from "#shared/foundation/faults";
import { newRecord } from "#shared/tenant/tenant";
import { auditChanges } from "./audit.ts";
import { guardNewAuthority } from "./authority.ts";
import { type Contexts, checkSize, finishChecks } from "./batch.ts";
import { type Batch, type Changes, checkFields, fillDefaults, recordOf } from "./check-record.ts";
import { isRuled, ruleIssues } from "./check-rules.ts";
import { definitionIssues, isDefinition } from "./definitions/definitions.ts";
import { settleFiles } from "./files/files.ts";
import { protectChanges } from "./protect-changes.ts";
import { itemIssues, itemStamp, scheduleItems } from "./scheduling/scheduling.ts";
import { collectionOf, type StoredRecord } from "./stored-record.ts";
import type { Target } from "./target.ts";
import { completeLists } from "./value-lists.ts";

/** A record to be created. */
export interface PendingRecord {
  readonly id: string;
  readonly changes: Changes;
  /** When it is created; all together by default. */
  readonly at?: Date;
}

/** A new record as it is stored. */
export const documentOf = (target: Target, { id, changes }: PendingRecord, at: Date): StoredRecord => {
  const { tenant } = target;
  const by = { id: tenant.caller.id, schema: "user", name: tenant.caller.name };
  const { owner, shared_with, ...fields } = changes;
  const own = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
  return newRecord(
    id,
    { ...own, ...itemStamp(target, null, changes, at) },
    { by, at, owner: owner ?? by, shared_with: shared_with ?? [] },
  );
};

/**
 * What the platform adds to one new record: its id, fields that callers may not set, and what is done after all checks,
 * before the transaction. Repeatable.
 */
export interface PlatformValues {
  readonly id: string;
  readonly fields: Changes;
  readonly prepare: () => Promise<void>;
}

/** Changes checked values before the record as a whole is checked. */
export type BeforeChecks = (sent: readonly Changes[]) => Promise<readonly Changes[]>;

/** The values of new records with their defaults. Raises `forbidden` and `validation_failed`. */
export const checkNewRecords = async (
  target: Target,
  items: readonly unknown[],
  batch: Batch,
  contexts: Contexts,
  { before, own }: { readonly before?: BeforeChecks | undefined; readonly own?: PlatformValues | undefined } = {},
): Promise<readonly Changes[]> => {
  const sent = items.map((item, index): Changes => {
    const context = contexts(index);
    const data = recordOf(target, item, context);
    if (data === undefined) return {};
    const changes = { ...checkFields(target, "create", data, context, batch), ...own?.fields };
    fillDefaults(target, data, changes, context, before === undefined);
    return changes;
  });
  // Rules see the record as it will be stored, apart from its id and automatic numbers.
  const checkRules = async (all: readonly Changes[]) => {
    if (!isRuled(target, "create") && !isDefinition(target)) return [];
    const at = now();
    const writes = all.map((changes, index) => ({
      before: null,
      after: documentOf(target, { id: uuidv7(), changes }, at),
      loc: contexts(index).at,
    }));
    const ruled = isRuled(target, "create") ? await ruleIssues(target, writes, batch.report.issues) : [];
    return [...ruled, ...(await definitionIssues(target, writes))];
  };
  if (before === undefined) {
    await finishChecks(target, batch, () => checkRules(sent));
    return sent;
  }
  await finishChecks(target, batch, () => []);
  const all = await before(sent);
  for (const [index, changes] of all.entries()) fillDefaults(target, changes, changes, contexts(index));
  refuseIfAny([...batch.report.issues, ...(await checkRules(all))]);
  return all;
};

export interface Insertion {
  readonly batch: Batch;
  readonly contexts: Contexts;
  readonly at: Date;
}

/** Stores checked records in a transaction, with everything that belongs to them. */
export const insertRecords = async (
  target: Target,
  all: readonly PendingRecord[],
  { batch, contexts, at }: Insertion,
  session: ClientSession,
): Promise<StoredRecord[]> => {
  const documents = all.map((record) => documentOf(target, record, record.at ?? at));
  for (const [index, document] of documents.entries()) checkSize(document, contexts(index));
  const items = all.map(({ changes }, index) => ({ before: null, changes, loc: contexts(index).at }));
  refuseIfAny([...batch.report.issues, ...itemIssues(target, items)]);
  await guardNewAuthority(target, session);
  await collectionOf(target).insertMany(documents, { session });
  const written = documents.map((after) => ({ before: null, after }));
  await auditChanges(target, written, session);
  await completeLists(target, written, session);
  await scheduleItems(target, written, session);
  await settleFiles(target, written, session);
  return documents;
};

/** Assigns ids first, because sealed and encrypted values are bound to the id of their record. */
export const protectNew = async (target: Target, records: readonly PendingRecord[]): Promise<PendingRecord[]> => {
  const stored = await protectChanges(target, records);
  return records.map(({ id, changes }, index) => ({ id, changes: stored[index] ?? changes }));
};
