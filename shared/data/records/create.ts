import type { ClientSession, Document } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import type { PendingReference } from "#shared/data/schema/schema";
import { now } from "#shared/foundation/clock";
import { refuseIfAny } from "#shared/foundation/faults";
import { type Done, newRecord, type Tenant } from "#shared/tenant/tenant";
import { type ApiRecord, apiRecordOf, type Written, writtenOf } from "./api-record.ts";
import { auditChanges } from "./audit.ts";
import { guardNewAuthority } from "./authority.ts";
import { assignAutoNumbers } from "./auto-numbers.ts";
import { type Contexts, checkSize, contextsOf, finishChecks, itemsOf, newBatch } from "./batch.ts";
import { type Batch, type Changes, checkFields, fillDefaults, recordOf } from "./check-record.ts";
import { isRuled, ruleIssues } from "./check-rules.ts";
import { definitionIssues, isDefinition } from "./definitions/definitions.ts";
import { ensureIndexes } from "./indexes.ts";
import { protectChanges } from "./protect-changes.ts";
import { rereadCreated } from "./read.ts";
import { confirmNames } from "./renames/renames.ts";
import { collectionOf, type StoredRecord } from "./stored-record.ts";
import { type Target, targetOf } from "./target.ts";
import { refuseRepeatedValues, toDuplicateValue } from "./unique-values.ts";
import { completeLists } from "./value-lists.ts";

/** A record to be created. */
export interface PendingRecord {
  readonly id: string;
  readonly changes: Changes;
}

const documentOf = ({ tenant }: Target, { id, changes }: PendingRecord, at: Date): StoredRecord => {
  const by = { id: tenant.caller.id, schema: "user", name: tenant.caller.name };
  const { owner, shared_with, ...fields } = changes;
  const own = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
  return newRecord(id, own, { by, at, owner: owner ?? by, shared_with: shared_with ?? [] });
};

/** The values of new records with their defaults. Raises `forbidden` and `validation_failed`. */
export const checkNewRecords = async (
  target: Target,
  items: readonly unknown[],
  batch: Batch,
  contexts: Contexts,
): Promise<Changes[]> => {
  const all = items.map((item, index): Changes => {
    const context = contexts(index);
    const data = recordOf(target, item, context);
    if (data === undefined) return {};
    const changes = checkFields(target, "create", data, context, batch);
    fillDefaults(target, data, changes, context);
    return changes;
  });
  // Rules see the record as it will be stored, apart from its id and automatic numbers.
  const checkRules = async () => {
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
  await finishChecks(target, batch, checkRules);
  return all;
};

/** Stores checked records in a transaction, with everything that belongs to them. */
export const insertRecords = async (
  target: Target,
  all: readonly PendingRecord[],
  { batch, contexts }: { readonly batch: Batch; readonly contexts: Contexts },
  session: ClientSession,
): Promise<StoredRecord[]> => {
  const at = now();
  const documents = all.map((record) => documentOf(target, record, at));
  for (const [index, document] of documents.entries()) checkSize(document, contexts(index));
  refuseIfAny(batch.report.issues);
  await guardNewAuthority(target, session);
  await collectionOf(target).insertMany(documents, { session });
  const written = documents.map((after) => ({ before: null, after }));
  await auditChanges(target, written, session);
  await completeLists(target, written, session);
  return documents;
};

interface Insertion {
  readonly batch: Batch;
  readonly contexts: Contexts;
  readonly apiRecord: (document: Document) => ApiRecord;
}

const insert =
  (target: Target, all: readonly PendingRecord[], { apiRecord, ...checked }: Insertion) =>
  async (session: ClientSession): Promise<Done<Written>> => {
    const documents = await insertRecords(target, all, checked, session);
    return { ids: documents.map(({ _id }) => _id), value: await writtenOf(documents, apiRecord) };
  };

/** Assigns ids first, because sealed and encrypted values are bound to the id of their record. */
const newRecords = async (target: Target, all: readonly Changes[]): Promise<PendingRecord[]> => {
  const records = all.map((changes) => ({ id: uuidv7(), changes }));
  const stored = await protectChanges(target, records);
  return records.map(({ id, changes }, index) => ({ id, changes: stored[index] ?? changes }));
};

/** See `RecordWriter.create`. */
export const createRecords = async (tenant: Tenant, object: string, data: unknown): Promise<Written> => {
  const target = await targetOf(tenant, object, "create");
  const items = itemsOf(data);
  const references: PendingReference["reference"][] = [];
  const prepare = async () => {
    const batch = await newBatch(target, "create", items);
    const contexts = contextsOf(batch, Array.isArray(data));
    const all = await checkNewRecords(target, items, batch, contexts);
    references.push(...batch.report.references.map(({ reference }) => reference));
    refuseRepeatedValues(target, all);
    await ensureIndexes(target);
    const records = await newRecords(target, all);
    const ready = records.map(({ changes }) => changes);
    await assignAutoNumbers(target, ready);
    // Before the transaction, because it may need KMS.
    const apiRecord = await apiRecordOf(target);
    return insert(target, records, { batch, contexts, apiRecord });
  };
  try {
    const written = await tenant.once.write(prepare, (ids) => rereadCreated(target, ids));
    await confirmNames(tenant, references);
    return written;
  } catch (error) {
    throw toDuplicateValue(target, error, items.length);
  }
};
