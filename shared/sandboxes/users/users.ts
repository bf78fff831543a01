import type { Document } from "mongodb";
import type * as z from "zod";
import type { sandboxUsersAnswer, userSelector } from "#contracts/sandbox-bodies";
import { requireSchema } from "#shared/data/schema/schema";
import { Fault } from "#shared/foundation/faults";
import {
  type OrganizationState,
  openWithState,
  SESSION_COLLECTION,
  type SessionReplica,
  STATE_COLLECTION,
  sandboxRefreshing,
  type Tenant,
  type TenantDatabase,
} from "#shared/tenant/tenant";
import { changing } from "../changing.ts";
import { usersPipeline } from "../copying/people.ts";
import { enterListsOf, leaveListsOf } from "../lists.ts";
import { changeSandbox, type RegisteredSandbox, sandboxNamed } from "../registry.ts";
import { admit } from "../states.ts";
import { noteInTrail } from "../trail.ts";
import { selectUsers } from "./select.ts";

type UserRecord = Document & { _id: string; email: string };

/** Opens the copy of the data that the entry names, so that nothing reaches the next one. */
const databaseOf = async (entry: RegisteredSandbox): Promise<TenantDatabase> => {
  const opened = await openWithState(entry._id);
  if (opened === null) throw new Fault("sandbox_not_found");
  if (opened.database.generation !== (entry.generation ?? null)) throw sandboxRefreshing();
  return opened.database;
};

/** The user records as the sandbox has them. */
const copiesOf = async (tenant: Tenant, entry: RegisteredSandbox, ids: readonly string[]): Promise<UserRecord[]> => {
  const schema = await requireSchema(tenant, "user");
  const rows = tenant.read<UserRecord>(
    "user",
    [{ $match: { _id: { $in: [...ids] } } }, ...usersPipeline(entry, schema)],
    {
      batchSize: ids.length + 1,
    },
  );
  return [...((await rows.next()) ?? [])];
};

/** Whose records belong to a branch of roles may change with the users. */
const bumpAccess = (database: TenantDatabase) => ({
  filter: { _id: database.organization_id },
  update: { $inc: { access_version: 1 } },
});

/** Adds those who are not there yet, and gives them. */
const insertUsers = (database: TenantDatabase, records: readonly UserRecord[]): Promise<UserRecord[]> =>
  database.transaction(async (session) => {
    const users = database.collection<UserRecord>("user");
    const added: UserRecord[] = [];
    for (const record of records) {
      const { _id, ...fields } = record;
      const { upsertedCount } = await users.updateOne({ _id }, { $setOnInsert: fields }, { session, upsert: true });
      if (upsertedCount === 1) added.push(record);
    }
    if (added.length > 0) {
      const { filter, update } = bumpAccess(database);
      await database.collection<OrganizationState>(STATE_COLLECTION).updateOne(filter, update, { session });
    }
    return added;
  });

/** False if a refresh has begun, which may have copied the users before they were changed. */
const countUsers = async ({ _id, generation }: RegisteredSandbox, database: TenantDatabase): Promise<boolean> => {
  const users = await database.collection("user").countDocuments({});
  const same = { "sandbox.status": "active", generation: generation ?? { $exists: false } } as const;
  return (await changeSandbox(_id, same, { $set: { "sandbox.users": users } })) !== null;
};

/**
 * Lets users of the production organization into a sandbox: the record first, then the lists, so that nobody is led to
 * where they are not. Repeatable. Raises `sandbox_not_found`, `sandbox_busy`, and `record_not_found` if the selector names
 * nobody.
 */
export const addUsers = async (
  tenant: Tenant,
  name: string,
  selector: z.output<typeof userSelector>,
): Promise<z.input<typeof sandboxUsersAnswer>> => {
  const { entry: present } = await sandboxNamed(tenant, name);
  admit("use", present.sandbox.status);
  const { users, notFound } = await selectUsers(tenant, selector);
  if (users.length === 0) {
    throw new Fault("record_not_found", { message: "The selector names no active user of your organization." });
  }
  let added: UserRecord[] = [];
  await tenant.once.send(() =>
    changing(tenant, name, async (entry) => {
      const database = await databaseOf(entry);
      const ids = users.map(({ _id }) => _id);
      added = await insertUsers(database, await copiesOf(tenant, entry, ids));
      await enterListsOf(entry, ids);
      await noteInTrail(tenant, "sandbox_users_added", name, { user_ids: ids });
      await countUsers(entry, database);
    }),
  );
  return { sandbox_name: name, added_users: added.map(({ email }) => email), not_found: [...notFound] };
};

const MOST_IDS = 500;

const idsIn = (list: string): string[] => {
  const ids = [...new Set(list.split(",").map((id) => id.trim()))].filter((id) => id !== "");
  if (ids.length > 0 && ids.length <= MOST_IDS) return ids;
  const msg = `Expected 1 to ${MOST_IDS} ids of users, separated by commas.`;
  throw new Fault("validation_failed", { issues: [{ loc: ["path", "userIds"], msg, type: "invalid_ids" }] });
};

const removeFrom = async (
  tenant: Tenant,
  entry: RegisteredSandbox,
  name: string,
  wanted: readonly string[],
): Promise<void> => {
  const database = await databaseOf(entry);
  const users = database.collection<UserRecord>("user");
  const found = await users.find({ _id: { $in: [...wanted] } }, { projection: { _id: 1 } }).toArray();
  const ids = found.map(({ _id }) => _id);
  if (ids.length === 0) {
    throw new Fault("record_not_found", { message: "None of these is the id of a user of the sandbox." });
  }
  await leaveListsOf(entry, ids);
  await database.transaction(async (session) => {
    await users.deleteMany({ _id: { $in: ids } }, { session });
    const { filter, update } = bumpAccess(database);
    await database.collection<OrganizationState>(STATE_COLLECTION).updateOne(filter, update, { session });
  });
  await database.collection<SessionReplica>(SESSION_COLLECTION).deleteMany({ user_id: { $in: ids } });
  await noteInTrail(tenant, "sandbox_users_removed", name, { user_ids: ids });
  if (!(await countUsers(entry, database))) throw sandboxRefreshing();
};

/**
 * Takes users out of a sandbox: the lists first, then the records and their sessions there. Repeatable. Raises
 * `sandbox_not_found`, `sandbox_busy`, and `record_not_found` if none of them is a user of the sandbox.
 */
export const removeUsers = async (tenant: Tenant, name: string, list: string): Promise<void> => {
  const wanted = idsIn(list);
  await changing(tenant, name, (entry) => removeFrom(tenant, entry, name, wanted));
};
