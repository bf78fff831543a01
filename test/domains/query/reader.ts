import type { MongoClient } from "mongodb";
import { readBatches } from "#shared/tenant/read-batches";
import type { TenantDatabase } from "#shared/tenant/tenant";

/** Reads one database as a tenant's, for what does not need the rest of a tenant. */
export const readerOf = (client: MongoClient, name: string): Pick<TenantDatabase, "read"> => ({
  read: (collection, pipeline, options) => readBatches(client, client.db(name), collection, pipeline, options),
});
