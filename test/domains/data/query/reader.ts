import type { MongoClient } from "mongodb";
import { type TenantDatabase, tenantDatabase } from "#shared/tenant/database";
import { firstCopy } from "../../../setup/first-copy.ts";

/** A reader of one database, for tests that need no tenant. */
export const readerOf = (client: MongoClient, name: string): Pick<TenantDatabase, "read" | "collection"> =>
  tenantDatabase(client, client.db(name), firstCopy(name));
