import type { Document } from "mongodb";
import { Fault } from "#shared/foundation/faults";
import type { Tenant, TenantDatabase } from "./database.ts";
import { IDEMPOTENCY_COLLECTION, type OrganizationState, STATE_COLLECTION } from "./documents.ts";

/**
 * Bytes of all keys that a tenant has used within 24 hours: a key takes some 250, and 45 more for each record that it
 * created. Requests that run at the same moment may exceed it by what they add themselves.
 */
const MOST_BYTES = 64 * 1024 * 1024;

/** Must change when the index does. */
const INDEX_FINGERPRINT = "expires_at";

/** MongoDB deletes expired keys. */
export const ensureIdempotencyIndex = async (database: TenantDatabase): Promise<void> => {
  await database.collection(IDEMPOTENCY_COLLECTION).createIndex({ expires_at: 1 }, { expireAfterSeconds: 0 });
};

/** For organizations from before the collection existed. Done once, and recorded in the organization state. */
const indexExisting = async (tenant: Tenant): Promise<void> => {
  if (tenant.state.indexed?.[IDEMPOTENCY_COLLECTION] === INDEX_FINGERPRINT) return;
  await ensureIdempotencyIndex(tenant);
  await tenant
    .collection<OrganizationState>(STATE_COLLECTION)
    .updateOne({ _id: tenant.organization_id }, { $set: { [`indexed.${IDEMPOTENCY_COLLECTION}`]: INDEX_FINGERPRINT } });
};

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
  const [bytes] = await Promise.all([storedBytes(tenant), indexExisting(tenant)]);
  if (bytes > MOST_BYTES) throw new Fault("too_many_idempotency_keys", { headers: { "retry-after": "3600" } });
};
