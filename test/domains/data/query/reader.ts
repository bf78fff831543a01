import type { MongoClient } from "mongodb";
import { type TenantDatabase, tenantDatabase } from "#shared/tenant/database";

/** Reads one database as a tenant's, for what does not need the rest of a tenant. */
export const readerOf = (client: MongoClient, name: string): Pick<TenantDatabase, "read" | "collection"> =>
  tenantDatabase(client, client.db(name), name);
