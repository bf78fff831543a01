import type { Db, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addUser, databaseClient, http, registerOrganization, type User } from "../../platform.ts";

type Rights = Readonly<Record<string, unknown>>;

let owner: User;
let admin: User;
let superuser: User;
/** A member with all that a permission can give. */
let member: User;
let mongo: MongoClient;
let database: Db;

const all = { create: true, read: true, update: true, delete: true };
const byPlatform = ["log", "email_message", "sms_message", "push_message", "notification", "usage_record"];
const byAdmins = ["template", "notification_setting", "auth_credential", "app_metadata"];
const byPlatformInFields: readonly (readonly [string, Rights])[] = [
  ["scheduled_item", { revision: 7 }],
  ["scheduled_item", { execution_id: "one" }],
  ["scheduled_item", { status_history: [] }],
  ["document", { status: "signed" }],
];
const objects = [...byPlatform, ...byAdmins, "scheduled_item", "document", "function"];

/** The platform does not store this object in tenants' databases today. Only its name is protected. */
const usageRecord = {
  _id: "usage_record",
  id: "usage_record",
  api_name: "usage_record",
  name: "Usage",
  properties: { name: { api_name: "name", name: "Name", type: "string" } },
};

beforeAll(async () => {
  owner = await registerOrganization();
  mongo = await databaseClient();
  database = mongo.db(owner.organizationId);
  await database.collection<{ _id: string }>("schemas").insertOne(usageRecord);
  await database
    .collection<{ _id: string }>("organization_state")
    .updateOne({ _id: owner.organizationId }, { $inc: { schema_version: 1 } });
  const rights = { name: "Everything", object_permissions: Object.fromEntries(objects.map((name) => [name, all])) };
  const permission = await http.post("/v1/object/permission", { token: owner.token, body: rights, expect: 201 });
  [admin, superuser, member] = await Promise.all([
    addUser(owner.organizationId, { isAccountAdmin: true }),
    addUser(owner.organizationId, { isSuperuser: true }),
    addUser(owner.organizationId, { permissions: [permission.body.id] }),
  ]);
});

afterAll(() => mongo.close());

const create = (token: string, object: string, body: unknown) => http.post(`/v1/object/${object}`, { token, body });

/** A record as written by the platform. */
const written = async (object: string): Promise<string> => {
  const id = `${object}-${crypto.randomUUID()}`;
  const by = { id: owner.id, schema: "user", name: "Olga Owner" };
  const at = new Date("2026-01-01T00:00:00Z");
  const system = { created_date: at, modified_date: at, created_by: by, modified_by: by, owner: by, shared_with: [] };
  await database.collection<Rights & { _id: string }>(object).insertOne({ _id: id, id, name: "Written", ...system });
  return id;
};

const statuses = async (replies: readonly Promise<{ status: number }>[]): Promise<number[]> =>
  (await Promise.all(replies)).map(({ status }) => status);

describe("what only the platform writes", () => {
  it.each(byPlatform)("%s records cannot be created, changed or deleted by anybody, even the owner", async (object) => {
    const id = await written(object);
    for (const { token } of [owner, admin, superuser, member]) {
      const refused = await create(token, object, { name: "Forged" });
      expect([refused.status, refused.body.code]).toEqual([403, "forbidden"]);
      expect(refused.body.detail).toBe(`Nobody may create "${object}" records this way.`);
      const path = `/v1/object/${object}`;
      expect(
        await statuses([
          create(token, object.toUpperCase(), [{ name: "Forged" }, { name: "Forged" }]),
          http.patch(path, { token, body: { id, name: "Changed" } }),
          http.patch(path, { token, body: [{ id, name: "Changed" }] }),
          http.patch(`${path}/${id}`, { token, body: { name: "Changed" } }),
          http.delete(`${path}/${id}`, { token }),
          http.delete(path, { token, query: { ids: id } }),
        ]),
      ).toEqual([403, 403, 403, 403, 403, 403]);
    }
    const left = await database.collection(object).find().toArray();
    expect(left.map(({ name }) => name)).toEqual(["Written"]);
    const listed = await http.get(`/v1/object/${object}`, { token: member.token, expect: 200 });
    expect(listed.body.map((record: { id: string }) => record.id)).toEqual([id]);
  });

  it.each(byPlatformInFields)(
    "%s: nobody can set %j, in a new record or in an existing one",
    async (object, fields) => {
      const required = object === "scheduled_item" ? await scheduled() : {};
      for (const { token } of [owner, superuser, member]) {
        const body = { name: "Mine", ...required };
        expect((await create(token, object, { ...body, ...fields })).status).toBe(403);
        expect((await create(token, object, [body, { ...body, ...fields }])).status).toBe(403);
        const { body: mine, status } = await create(token, object, body);
        expect(status).toBe(201);
        expect(mine.status).toBe(object === "document" ? "draft" : "Queued");
        expect((await http.patch(`/v1/object/${object}/${mine.id}`, { token, body: fields })).status).toBe(403);
      }
    },
  );

  it("does not include the statuses of leads, tasks, invoices and questions", async () => {
    for (const [object, status] of [
      ["lead", "Working"],
      ["task", "Done"],
      ["invoice", "Paid"],
      ["question", "answered"],
    ] as const) {
      const { body } = await create(owner.token, object, { name: "Ours", status });
      expect(body.status).toBe(status);
    }
  });
});

describe("what only admins write", () => {
  it.each(byAdmins)("%s records cannot be written by a member with any permission", async (object) => {
    const body = object === "auth_credential" ? { name: "x", provider: "mail", value: "v" } : { name: "x" };
    const refused = await create(member.token, object, body);
    expect(refused.status).toBe(403);
    expect(refused.body.detail).toBe(`Only an administrator may create "${object}" records.`);
    for (const { token } of [owner, admin, superuser]) {
      const { id } = (await create(token, object, body)).body;
      const path = `/v1/object/${object}/${id}`;
      expect(
        await statuses([
          http.patch(path, { token: member.token, body: { name: "Changed" } }),
          http.delete(path, { token: member.token }),
        ]),
      ).toEqual([403, 403]);
      expect((await http.get(path, { token: member.token })).body.name).toBe("x");
      expect((await http.patch(path, { token, body: { name: "Changed" } })).status).toBe(200);
      expect((await http.delete(path, { token })).status).toBe(200);
    }
  });
});

const scheduled = async (): Promise<Rights> => {
  const body = { name: "Job", file_name: `${crypto.randomUUID()}.py`, code: "async def execute(platform): pass" };
  const { id } = (await create(owner.token, "function", body)).body;
  return { run_date_time: "2030-01-01T00:00:00Z", function: id };
};
