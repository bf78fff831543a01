import type { MongoClient } from "mongodb";
import { storedSchema } from "#shared/data/schema/object-schema";
import { indexPlanOf, standardSchemas } from "#shared/data/schema/schema";
import { tenantDatabase } from "#shared/tenant/database";
import type { Tenant } from "#shared/tenant/tenant";
import { firstCopy } from "../../../setup/first-copy.ts";

const caller = {
  id: "ada",
  email: "ada@example.test",
  name: "Ada",
  session_id: "s",
  scope: "all",
  client_id: null,
  responsible: null,
  is_admin: true,
  is_account_owner: true,
  is_superuser: false,
  second_factor: false,
  permissions: [],
  role: null,
  time_zone: null,
};

/** A tenant with the standard objects, in the name of an owner. */
export const hookedTenant = async (client: MongoClient, id: string): Promise<Tenant> => {
  const db = client.db(id);
  const indexed = Object.fromEntries(standardSchemas().map((each) => [each.api_name, indexPlanOf(each).fingerprint]));
  const state = { _id: id, status: "active" as const, schema_version: 1, access_version: 1, indexed };
  await db.collection<{ _id: string }>("schemas").insertMany(standardSchemas().map(storedSchema));
  await db.collection<{ _id: string }>("organization_state").insertOne(state);
  return {
    ...tenantDatabase(client, db, firstCopy(id)),
    state,
    request_id: "r",
    caller: { ...caller, organization_id: id },
  };
};
