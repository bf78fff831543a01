import type { TenantDatabase } from "./database.ts";
import { EXECUTION_COLLECTION, IDEMPOTENCY_COLLECTION, SESSION_COLLECTION } from "./documents.ts";

/** The indexes of a tenant's internal collections, by which MongoDB deletes what has expired. Idempotent. */
export const ensureOwnIndexes = async ({ collection }: Pick<TenantDatabase, "collection">): Promise<void> => {
  await Promise.all(
    [SESSION_COLLECTION, IDEMPOTENCY_COLLECTION, EXECUTION_COLLECTION].map((name) =>
      collection(name).createIndex({ expires_at: 1 }, { expireAfterSeconds: 0 }),
    ),
  );
};
