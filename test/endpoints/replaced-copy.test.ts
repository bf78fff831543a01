import type { Db, MongoClient } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  addUser,
  databaseClient,
  type HttpReply,
  http,
  joinOrganization,
  registerOrganization,
  signIn,
  type User,
} from "../platform.ts";
import { claimsOf } from "../setup/forge-token.ts";
import { makeSandbox, replaceCollection, replaceCopy, setStatus } from "../setup/replaced-copy.ts";

/** Enough concurrent requests that several execution environments answer, each with its own caches. */
const ENVIRONMENTS = 8;

const everywhere = (send: () => Promise<HttpReply>): Promise<HttpReply[]> =>
  Promise.all(Array.from({ length: ENVIRONMENTS }, send));

/** The different values of what each environment answers. */
const told = async (send: () => Promise<HttpReply>, of: (reply: HttpReply) => unknown): Promise<unknown[]> => [
  ...new Set((await everywhere(send)).map((reply) => JSON.stringify(of(reply)))),
];
const status = ({ status }: HttpReply): number => status;
const names = ({ status, body }: HttpReply): unknown =>
  status === 200 ? (body.records ?? body).map(({ name }: { name: string }) => name) : status;

let mongo: MongoClient;

beforeAll(async () => {
  mongo = await databaseClient();
});
afterAll(() => mongo.close());

describe("after the data of a sandbox was replaced, with equal versions, no execution environment", () => {
  let owner: User;
  let reader: User;
  let manager: User;
  let id: string;
  const create = (object: string, body: unknown): Promise<HttpReply> =>
    http.post(`/v1/object/${object}`, { token: owner.token, body, expect: 201 });
  const get =
    (path: string, user = owner) =>
    () =>
      http.get(path, { token: user.token });
  const query =
    (q: string, more: Record<string, string> = {}) =>
    () =>
      http.get("/v1/query", { token: owner.token, query: { q, ...more } });

  beforeAll(async () => {
    owner = await registerOrganization();
    id = owner.organizationId;
    await create("lead", [{ name: "Old 1" }, { name: "Old 2" }]);
    const schema = { token: owner.token, expect: 201 };
    await http.post("/v1/schema", { ...schema, body: { name: "Ghost", fields: [{ name: "Size", type: "number" }] } });
    const secret = [{ name: "Word", type: "string", encrypted: true }];
    await http.post("/v1/schema", { ...schema, body: { name: "Secret", fields: secret } });
    await create("secret", { name: "Old", word: "old word" });
    const permission = await create("permission", { name: "Readers", object_permissions: { lead: { read: true } } });
    const role = await create("role", { name: "Managers", view_access: "full" });
    reader = await addUser(id, { permissions: [permission.body.id] });
    manager = await addUser(id);
    await http.patch(`/v1/object/user/${manager.id}`, {
      token: owner.token,
      body: { role: { id: role.body.id } },
      expect: 200,
    });
    await makeSandbox(mongo, id);
  });

  /** Everything that the environments may keep of the first copy. */
  const warm = async (): Promise<void> => {
    for (let turn = 0; turn < 2; turn += 1) {
      expect(await told(get("/v1/object/lead?order_by=name"), names)).toEqual(['["Old 1","Old 2"]']);
      expect(await told(get("/v1/object/lead?order_by=name", manager), names)).toEqual(['["Old 1","Old 2"]']);
      expect(await told(get("/v1/object/lead", reader), status)).toEqual(["200"]);
      expect(await told(get("/v1/object/ghost"), status)).toEqual(["200"]);
      expect(await told(get("/v1/schema/ghost"), status)).toEqual(["200"]);
      expect(await told(get("/v1/schema"), ({ body }) => JSON.stringify(body).includes('"ghost"'))).toEqual(["true"]);
      expect(await told(query("SELECT name FROM lead ORDER BY name"), names)).toEqual(['["Old 1","Old 2"]']);
      expect(await told(get("/v1/object/secret"), ({ body }) => body[0]?.word)).toEqual(['"old word"']);
    }
  };

  const replaceAll = async (db: Db): Promise<void> => {
    await replaceCollection(db, "lead", [{ $set: { name: { $concat: ["New", { $substr: ["$name", 3, -1] }] } } }]);
    await replaceCollection(db, "schemas", [{ $match: { api_name: { $ne: "ghost" } } }]);
    await replaceCollection(db, "permission", [
      { $set: { "object_permissions.lead.read": { $cond: [{ $eq: ["$name", "Readers"] }, false, true] } } },
    ]);
    await replaceCollection(db, "role", [{ $set: { view_access: "personal" } }]);
    for (const name of ["ghost", "secret", "field_data_key", "idempotency_key", "request_mark"])
      await db.dropCollection(name);
  };

  it("answers, decides or writes with what it keeps of the earlier copy", async () => {
    await warm();
    const paged = "SELECT name FROM lead ORDER BY name LIMIT 1";
    const { next_cursor } = (await query(paged)()).body;
    expect(names(await query(paged, { cursor: next_cursor })())).toEqual(["Old 2"]);
    const once = { token: owner.token, headers: { "idempotency-key": "k" }, body: { name: "Old 3" }, expect: 201 };
    await http.post("/v1/object/lead", once);
    await http.delete(`/v1/object/lead/${(await http.post("/v1/object/lead", once)).body.id}`, {
      token: owner.token,
      expect: 200,
    });

    await replaceCopy(mongo, id, replaceAll);

    expect(await told(get("/v1/object/lead?order_by=name"), names)).toEqual(['["New 1","New 2"]']);
    expect(await told(get("/v1/object/lead?order_by=name", manager), names)).toEqual(["[]"]);
    expect(await told(get("/v1/object/lead", reader), status)).toEqual(["403"]);
    expect(await told(get("/v1/object/ghost"), status)).toEqual(["404"]);
    expect(await told(get("/v1/schema/ghost"), status)).toEqual(["404"]);
    expect(await told(get("/v1/schema"), ({ body }) => JSON.stringify(body).includes('"ghost"'))).toEqual(["false"]);
    expect(await told(query("SELECT name FROM lead ORDER BY name"), names)).toEqual(['["New 1","New 2"]']);
    const refused = await query(paged, { cursor: next_cursor })();
    expect([refused.status, refused.body.detail[0].type]).toEqual([422, "query_cursor"]);
    const again = await http.post("/v1/object/lead", once);
    expect([again.body.name, again.headers.get("idempotency-replayed")]).toEqual(["Old 3", null]);
  });

  it("encrypts with the data key of the earlier copy", async () => {
    await replaceCopy(mongo, id, async (db) => {
      await db.collection("secret").deleteMany({});
      await db.collection("field_data_key").deleteMany({});
    });
    const created = await everywhere(() =>
      http.post("/v1/object/secret", { token: owner.token, body: { name: "New", word: "new word" } }),
    );
    expect(created.map(status)).toEqual(Array(ENVIRONMENTS).fill(201));
    const words = ({ body }: HttpReply): unknown => body.map(({ word }: { word: string }) => word);
    const all = JSON.stringify(Array(ENVIRONMENTS).fill("new word"));
    expect(await told(get("/v1/object/secret"), words)).toEqual([all]);
  });
});

describe("while the gate of a sandbox is up", () => {
  let person: User;
  let home: string;
  let sandbox: string;

  beforeEach(async () => {
    home = (await registerOrganization()).organizationId;
    const owner = await registerOrganization();
    sandbox = owner.organizationId;
    await joinOrganization(owner, home);
    person = await signIn(owner.email, owner.password);
    expect(claimsOf(person.token).org).toBe(sandbox);
    await makeSandbox(mongo, sandbox);
    await setStatus(mongo, sandbox, "refreshing");
  });

  const refused = (reply: HttpReply): unknown => [reply.status, reply.body.code, reply.headers.get("retry-after")];
  const refreshing = [503, "sandbox_refreshing", "5"];

  it("requests are told to come again, also while the first copy is made", async () => {
    const { token } = person;
    for (const gate of ["refreshing", "provisioning"]) {
      await setStatus(mongo, sandbox, gate);
      expect(refused(await http.get("/v1/object/lead", { token }))).toEqual(refreshing);
      expect(refused(await http.post("/v1/object/lead", { token, body: { name: "x" } }))).toEqual(refreshing);
      expect(refused(await http.get("/v1/auth/load", { token }))).toEqual(refreshing);
    }
    await setStatus(mongo, sandbox, "active");
    await http.get("/v1/object/lead", { token, expect: 200 });
  });

  it("a sign-in and a refreshed token are for the sandbox, if the person used it last", async () => {
    const token = await http.post("/v1/oauth2/refresh", { body: { refresh_token: person.refreshToken }, expect: 200 });
    expect(claimsOf(token.body.access_token).org).toBe(sandbox);
    const signedIn = await signIn(person.email, person.password);
    expect(claimsOf(signedIn.token).org).toBe(sandbox);
    await setStatus(mongo, sandbox, "active");
    await http.get("/v1/object/lead", { token: signedIn.token, expect: 200 });
  });

  it("a person may leave it, and not switch into it", async () => {
    const { token } = person;
    const left = await http.post("/v1/auth/switch", { token, body: { id: home }, expect: 200 });
    await http.get("/v1/object/lead", { token: left.body.access_token, expect: 200 });
    const back = { token: left.body.access_token, body: { id: sandbox } };
    expect(refused(await http.post("/v1/auth/switch", back))).toEqual(refreshing);
    await setStatus(mongo, sandbox, "active");
    const returned = await http.post("/v1/auth/switch", { ...back, expect: 200 });
    await setStatus(mongo, sandbox, "refreshing");
    await http.post("/v1/auth/logout", { token: returned.body.access_token, expect: 204 });
    await setStatus(mongo, sandbox, "active");
    expect(status(await http.get("/v1/object/lead", { token: returned.body.access_token }))).toBe(401);
  });

  it("a sandbox that is being deleted is answered like an unknown organization", async () => {
    const { token } = person;
    await setStatus(mongo, sandbox, "deleting");
    expect(refused(await http.get("/v1/object/lead", { token }))).toEqual([401, "unauthenticated", null]);
    const signedIn = await signIn(person.email, person.password);
    expect(claimsOf(signedIn.token).org).toBe(home);
  });
});

describe("an organization whose database is not the registered copy", () => {
  it("is not served until registry and database agree, and is opened again then", async () => {
    const { token, organizationId: _id } = await registerOrganization();
    await http.post("/v1/object/lead", { token, body: { name: "Kept" }, expect: 201 });
    const registry = mongo.db("base").collection<{ _id: string }>("organization");
    const state = mongo.db(_id).collection<{ _id: string }>("organization_state");
    expect(await told(() => http.get("/v1/object/lead", { token }), names)).toEqual(['["Kept"]']);
    await state.updateOne({ _id }, { $set: { generation: "restored" } });
    const refused = await everywhere(() => http.get("/v1/object/lead", { token }));
    expect(refused.map(({ body }) => body.code)).toEqual(Array(ENVIRONMENTS).fill("database_unavailable"));
    await registry.updateOne({ _id }, { $set: { generation: "restored" } });
    expect(await told(() => http.get("/v1/object/lead", { token }), names)).toEqual(['["Kept"]']);
  });
});
