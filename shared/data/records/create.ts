import type { ClientSession } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import type { PendingReference } from "#shared/data/schema/schema";
import { now } from "#shared/foundation/clock";
import type { Done, Tenant } from "#shared/tenant/tenant";
import { apiRecordOf, type Written, writtenOf } from "./api-record.ts";
import { assignAutoNumbers } from "./auto-numbers.ts";
import { contextsOf, itemsOf, newBatch } from "./batch.ts";
import { createHooked } from "./hooked/create.ts";
import { isScoped, queueMessages } from "./hooked/scope.ts";
import type { RecordHooks } from "./hooks.ts";
import { ensureIndexes } from "./indexes.ts";
import { checkNewRecords, insertRecords, type PlatformValues, protectNew } from "./insert-records.ts";
import { rereadCreated } from "./read.ts";
import { confirmNames } from "./renames/renames.ts";
import { targetOf } from "./target.ts";
import { refuseRepeatedValues, toDuplicateValue } from "./unique-values.ts";

/** See `RecordWriter.create`. */
export const createRecords = async (
  tenant: Tenant,
  hooks: RecordHooks,
  object: string,
  data: unknown,
  platform?: PlatformValues,
): Promise<Written> => {
  const target = await targetOf(tenant, object, "create");
  const own = await hooks.of(target, "create");
  if (isScoped(hooks, own)) return createHooked(target, { hooks: own, outer: hooks.outer }, data, platform);
  const items = itemsOf(data);
  const references: PendingReference["reference"][] = [];
  const prepare = async () => {
    const batch = await newBatch(target, "create", items);
    const contexts = contextsOf(batch, Array.isArray(data));
    const all = await checkNewRecords(target, items, batch, contexts, { own: platform });
    references.push(...batch.report.references.map(({ reference }) => reference));
    refuseRepeatedValues(target, all);
    await ensureIndexes(target);
    const records = await protectNew(
      target,
      all.map((changes) => ({ id: platform?.id ?? uuidv7(), changes })),
    );
    await assignAutoNumbers(
      target,
      records.map(({ changes }) => changes),
    );
    // Before the transaction, because it may need KMS.
    const apiRecord = await apiRecordOf(target);
    await platform?.prepare();
    return async (session: ClientSession): Promise<Done<Written>> => {
      const documents = await insertRecords(target, records, { batch, contexts, at: now() }, session);
      const written = documents.map((after) => ({ before: null, after }));
      await queueMessages(target, own, { operation: "create", written, apiRecord }, session);
      return { ids: documents.map(({ _id }) => _id), value: await writtenOf(documents, apiRecord) };
    };
  };
  try {
    const written = await tenant.once.write(prepare, (ids) => rereadCreated(target, ids));
    await confirmNames(tenant, references);
    return written;
  } catch (error) {
    throw toDuplicateValue(target, error, items.length);
  }
};
