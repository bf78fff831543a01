import type { Document } from "mongodb";
import { Fault } from "#shared/foundation/faults";
import type { Tenant } from "./database.ts";
import { IDEMPOTENCY_COLLECTION } from "./documents.ts";

/**
 * Bytes of all keys that a tenant has used within 24 hours: a key takes some 250, and 45 more for each record that it
 * created. Requests that run at the same moment may exceed it by what they add themselves.
 */
const MOST_BYTES = 64 * 1024 * 1024;

/** The server knows the size of a collection, so no document is read. */
const storedBytes = async (tenant: Tenant): Promise<number> => {
  const [stats] = await tenant
    .collection(IDEMPOTENCY_COLLECTION)
    .aggregate<Document>([{ $collStats: { storageStats: {} } }, { $project: { bytes: "$storageStats.size" } }])
    .toArray();
  return Number(stats?.bytes ?? 0);
};

/** Raises `too_many_idempotency_keys`. */
export const refuseFullStore = async (tenant: Tenant): Promise<void> => {
  if ((await storedBytes(tenant)) > MOST_BYTES)
    throw new Fault("too_many_idempotency_keys", { headers: { "retry-after": "3600" } });
};
