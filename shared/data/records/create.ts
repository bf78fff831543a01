import type { ClientSession } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import { now } from "#shared/foundation/clock";
import { refuseIfAny } from "#shared/foundation/faults";
import { type Done, newRecord, type Tenant } from "#shared/tenant/tenant";
import { noteNewRights } from "./authority.ts";
import { type Contexts, contextsOf, itemsOf, newBatch, noteLarge, settle } from "./batch.ts";
import { type Batch, type Changes, checkFields, complete, recordOf } from "./check-record.ts";
import { countUp } from "./counters.ts";
import { ensureIndexes } from "./indexes.ts";
import { sealChanges } from "./sealed-values.ts";
import { type Written, writtenOf } from "./shape.ts";
import { collectionOf, type StoredRecord } from "./stored-record.ts";
import { type Target, targetOf } from "./target.ts";
import { trail } from "./trailed.ts";
import { refuseRepeatedValues, toDuplicateValue } from "./unique.ts";
import { writtenEarlier } from "./written-earlier.ts";

/** A record that is about to be created. */
interface PendingRecord {
  readonly id: string;
  readonly changes: Changes;
}

const documentOf = ({ tenant }: Target, { id, changes }: PendingRecord, at: Date): StoredRecord => {
  const by = { id: tenant.caller.id, schema: "user", name: tenant.caller.name };
  const { owner, shared_with, ...fields } = changes;
  const own = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
  return newRecord(id, own, { by, at, owner: owner ?? by, shared_with: shared_with ?? [] });
};

const check = async (
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
    complete(target, data, changes, context);
    return changes;
  });
  await settle(target, batch);
  return all;
};

const insert =
  (target: Target, all: readonly PendingRecord[], batch: Batch, contexts: Contexts) =>
  async (session: ClientSession): Promise<Done<Written>> => {
    await countUp(
      target,
      all.map(({ changes }) => changes),
      session,
    );
    const at = now();
    const documents = all.map((record) => documentOf(target, record, at));
    for (const [index, document] of documents.entries()) noteLarge(document, contexts(index));
    refuseIfAny(batch.report.issues);
    await noteNewRights(target, session);
    await collectionOf(target).insertMany(documents, { session });
    await trail(
      target,
      documents.map((after) => ({ before: null, after })),
      session,
    );
    return { ids: documents.map(({ _id }) => _id), value: writtenOf(target, documents) };
  };

/** Ids come first: a sealed value is bound to the record that it belongs to. */
const newRecords = async (target: Target, all: readonly Changes[]): Promise<PendingRecord[]> => {
  const records = all.map((changes) => ({ id: uuidv7(), changes }));
  const sealed = await sealChanges(target, records);
  return records.map(({ id, changes }, index) => ({ id, changes: sealed[index] ?? changes }));
};

/** See `Records.create`. */
export const createRecords = async (tenant: Tenant, object: string, data: unknown): Promise<Written> => {
  const target = await targetOf(tenant, object, "create");
  const items = itemsOf(data);
  const prepare = async () => {
    const batch = newBatch();
    const contexts = contextsOf(batch, Array.isArray(data));
    const all = await check(target, items, batch, contexts);
    refuseRepeatedValues(target, all);
    await ensureIndexes(target);
    return insert(target, await newRecords(target, all), batch, contexts);
  };
  try {
    return await tenant.once.write(prepare, (ids) => writtenEarlier(target, ids));
  } catch (error) {
    throw toDuplicateValue(error, items.length);
  }
};
