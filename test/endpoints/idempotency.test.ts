import { randomUUID } from "node:crypto";
import { request as sendRaw } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { BSON, type Collection, type Db, type Document, type MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  addUser,
  databaseClient,
  http,
  invokeOperation,
  platformUrl,
  registerOrganization,
  type User,
} from "../platform.ts";
import { beginTransaction } from "../setup/begin-transaction.ts";

type Stored = Document & { _id: string };

let owner: User;
let mongo: MongoClient;
let database: Db;
let keys: Collection<Stored>;

beforeAll(async () => {
  owner = await registerOrganization();
  mongo = await databaseClient();
  database = mongo.db(owner.organizationId);
  keys = database.collection<Stored>("idempotency_key");
});

afterAll(() => mongo.close());

const post = (key: string, body: unknown, token = owner.token, object = "lead") =>
  http.post(`/v1/object/${object}`, { token, body, headers: { "idempotency-key": key } });

const create = (key: string, name: string, token = owner.token, object = "lead") => post(key, { name }, token, object);

const count = (name: string): Promise<number> => database.collection("lead").countDocuments({ name });

const keyOf = async (id: string): Promise<Stored> => {
  const found = await keys.findOne({ result: id });
  if (found === null) throw new Error("no key is stored");
  return found;
};

const replayed = ({ headers }: { headers: Headers }): string | null => headers.get("idempotency-replayed");

const inMinutes = (minutes: number): Date => new Date(Date.now() + minutes * 60_000);

describe("an Idempotency-Key", () => {
  it("gives a repeated request the same reply, and writes once", async () => {
    const first = await create("k1", "Once");
    const second = await create("k1", "Once");
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body).toEqual(first.body);
    expect([replayed(first), replayed(second)]).toEqual([null, "true"]);
    expect(await count("Once")).toBe(1);
  });

  it("lets one of many equal concurrent requests write", async () => {
    const replies = await Promise.all(Array.from({ length: 12 }, () => create("k2", "Race")));
    for (const reply of replies) expect([201, 409]).toContain(reply.status);
    for (const reply of replies.filter(({ status }) => status === 409)) {
      expect(reply.body.code).toBe("idempotency_in_flight");
      expect(reply.headers.get("retry-after")).toBe("1");
    }
    const created = replies.filter(({ status }) => status === 201);
    expect(new Set(created.map(({ body }) => body.id)).size).toBe(1);
    expect(created.filter((reply) => replayed(reply) === null)).toHaveLength(1);
    expect(await count("Race")).toBe(1);
  });

  it("is refused with another body or on another path", async () => {
    await create("k3", "Original");
    expect((await create("k3", "Changed")).body.detail[0].type).toBe("idempotency_key_reused");
    expect((await create("k3", "Original", owner.token, "company")).body.detail[0].type).toBe("idempotency_key_reused");
    expect(await count("Changed")).toBe(0);
  });

  it("belongs to one caller", async () => {
    const member = await addUser(owner.organizationId);
    const mine = await create("k4", "Shared key");
    const theirs = await create("k4", "Shared key", member.token);
    expect([theirs.status, replayed(theirs)]).toEqual([201, null]);
    expect(theirs.body.id).not.toBe(mine.body.id);
    expect(await count("Shared key")).toBe(2);
  });

  it("belongs to one route", async () => {
    await create("k5", "Route");
    const headers = { "idempotency-key": "k5" };
    const mail = await http.post("/v1/auth/email/confirmation", { token: owner.token, headers, expect: 202 });
    expect(replayed(mail)).toBeNull();
    expect(replayed(await create("k5", "Route"))).toBe("true");
  });

  it("is free after a failure, so that the corrected request may use it", async () => {
    expect((await post("k6", { name: 5 })).status).toBe(422);
    const corrected = await create("k6", "Corrected");
    expect([corrected.status, replayed(corrected)]).toEqual([201, null]);
  });

  it("must be 1 to 255 characters long", async () => {
    expect((await create("x".repeat(256), "Long")).body.detail[0].loc).toEqual(["headers", "idempotency-key"]);
  });
});

describe("a keyed request that was interrupted", () => {
  it("gives a repetition what it wrote", async () => {
    const key = randomUUID();
    const headers = { authorization: `Bearer ${owner.token}`, "content-type": "application/json" };
    const cutOff = sendRaw(`${platformUrl}/v1/object/lead`, {
      method: "POST",
      headers: { ...headers, "idempotency-key": key },
    });
    cutOff.on("error", () => undefined);
    cutOff.end(JSON.stringify({ name: "Cut off" }));
    while ((await count("Cut off")) === 0) await sleep(5);
    cutOff.destroy();
    const again = await create(key, "Cut off");
    expect([again.status, replayed(again)]).toEqual([201, "true"]);
    expect(await count("Cut off")).toBe(1);
  });

  it("takes effect once if its function died between commit and reply, even before its lease is over", async () => {
    const records = [{ name: "Held" }, { name: "Held" }];
    const first = await post("k7", records);
    const { _id } = await keyOf(first.body[0].id);
    for (const lease_until of [inMinutes(0.5), inMinutes(-0.5)]) {
      await keys.updateOne({ _id }, { $set: { lease_until } });
      const again = await post("k7", records);
      expect([again.status, again.body, replayed(again)]).toEqual([201, first.body, "true"]);
    }
    expect(await count("Held")).toBe(2);
  });

  it("is carried out again if its function died before the commit, once its lease is over", async () => {
    const first = await create("k8", "Lost");
    const { _id } = await keyOf(first.body.id);
    await keys.updateOne({ _id }, { $set: { result: null, lease_until: inMinutes(0.5) } });
    await database.collection("request_mark").deleteMany({});
    await database.collection("lead").deleteMany({ name: "Lost" });
    expect((await create("k8", "Lost")).status).toBe(409);
    await keys.updateOne({ _id }, { $set: { lease_until: inMinutes(-0.5) } });
    const again = await create("k8", "Lost");
    expect([again.status, replayed(again)]).toEqual([201, null]);
    expect(await count("Lost")).toBe(1);
  });

  it("writes nothing if its lease is over and another request holds the key", async () => {
    const permission = (key: string, name: string) =>
      post(key, { name, object_permissions: {} }, owner.token, "permission");
    await permission("k9", "First");
    const state = database.collection<Stored>("organization_state");
    await mongo.withSession(async (session) => {
      // Every new permission also changes this document, so it waits for this transaction.
      const hold = () => state.updateOne({ _id: owner.organizationId }, { $set: { held: true } }, { session });
      await beginTransaction(session, hold);
      const late = permission("k10", "Overtaken");
      const mine = { result: null, lease_id: { $ne: "another" } };
      while ((await keys.updateOne(mine, { $set: { lease_id: "another" } })).modifiedCount === 0) await sleep(5);
      await session.abortTransaction();
      expect((await late).body.code).toBe("idempotency_in_flight");
    });
    expect(await database.collection("permission").countDocuments({ name: "Overtaken" })).toBe(0);
  });
});

describe("a repeated keyed request", () => {
  const rights = (changes: object) => ({
    name: "Leads",
    object_permissions: { lead: { create: true, read: true, update: true, delete: true } },
    object_field_permissions: {},
    ...changes,
  });

  it("shows what its caller may read now, and nothing to a caller who may not create any more", async () => {
    const permission = await http.post("/v1/object/permission", { token: owner.token, body: rights({}), expect: 201 });
    const { token } = await addUser(owner.organizationId, { permissions: [permission.body.id] });
    const grant = (changes: object) =>
      http.patch(`/v1/object/permission/${permission.body.id}`, { token: owner.token, body: changes, expect: 200 });
    const body = { name: "Seen", email: "seen@example.test", amount: 5 };
    const first = await post("rights", body, token);
    expect(first.body).toMatchObject(body);

    await grant({ object_field_permissions: { lead: { email: { read: false, update: false } } } });
    const fewer = await post("rights", body, token);
    expect([fewer.status, replayed(fewer), fewer.body.amount]).toEqual([201, "true", 5]);
    expect(fewer.text).not.toContain("seen@example.test");
    expect(fewer.body).not.toHaveProperty("email");

    await grant({ object_permissions: { lead: { create: true } } });
    const unread = await post("rights", body, token);
    expect([unread.status, unread.body]).toEqual([201, { id: first.body.id }]);

    await grant({ object_permissions: { lead: { read: true } } });
    const refused = await post("rights", body, token);
    expect([refused.status, refused.body.code, replayed(refused)]).toEqual([403, "forbidden", null]);

    await grant(rights({}));
    const again = await post("rights", body, token);
    expect([again.status, again.body, replayed(again)]).toEqual([201, first.body, "true"]);
    expect(await count("Seen")).toBe(1);
  });

  it("gives records as they are now, and deleted ones by their ids, in the order of the first reply", async () => {
    const body = ["One", "Two", "Three"].map((name) => ({ name }));
    const [one, two, three] = (await post("changed", body)).body;
    await http.patch(`/v1/object/lead/${one.id}`, { token: owner.token, body: { name: "Changed" }, expect: 200 });
    await http.delete(`/v1/object/lead/${two.id}`, { token: owner.token, expect: 200 });
    const again = await post("changed", body);
    expect([again.status, replayed(again)]).toEqual([201, "true"]);
    expect(again.body).toEqual([expect.objectContaining({ id: one.id, name: "Changed" }), { id: two.id }, three]);
    await http.delete("/v1/object/lead", { token: owner.token, query: { ids: [one.id, three.id] }, expect: 200 });
    expect((await post("changed", body)).body).toEqual([{ id: one.id }, { id: two.id }, { id: three.id }]);
    expect(await count("Two")).toBe(0);
  });

  it("is not validated again", async () => {
    const company = await http.post("/v1/object/company", { token: owner.token, body: { name: "Gone" }, expect: 201 });
    const body = { name: "Pointing", company: company.body.id };
    const first = await post("pointing", body);
    await http.delete(`/v1/object/company/${company.body.id}`, { token: owner.token, expect: 200 });
    expect((await post("pointing", body)).body).toEqual(first.body);
  });
});

describe("what is stored of a keyed request", () => {
  it("is the ids of what it wrote, in the organization's own database only", async () => {
    const secret = "s3cret-in-an-import";
    const { body } = await post(
      "kept",
      { name: "Mail", provider: "mail", value: secret },
      owner.token,
      "auth_credential",
    );
    const kept = await keyOf(body.id);
    expect(Object.keys(kept).sort()).toEqual(["_id", "body_hash", "expires_at", "lease_id", "lease_until", "result"]);
    expect(kept.result).toEqual([body.id]);
    expect(JSON.stringify([kept, await database.collection("request_mark").find().toArray()])).not.toContain(secret);
    expect(await mongo.db("base").collection<Stored>("idempotency_key").countDocuments({ _id: kept._id })).toBe(0);
  });

  it("is small also for the largest batch", async () => {
    const leads = Array.from({ length: 500 }, (_, index) => ({ name: `Batch ${index}`, email: `${index}@a.test` }));
    const { body } = await post("large", leads);
    expect(body).toHaveLength(500);
    const kept = await keyOf(body[499].id);
    expect(BSON.calculateObjectSize(kept)).toBeLessThan(32 * 1024);
    expect((await post("large", leads)).body).toEqual(body);
  });

  it("is deleted a day after the request, also in organizations older than the collection once they are migrated", async () => {
    const older = await registerOrganization();
    const db = mongo.db(older.organizationId);
    await db.dropCollection("idempotency_key");
    await db.collection("_migration").deleteMany({});
    await invokeOperation("migrate", { organization_ids: [older.organizationId] });
    const { body } = await create("day", "Day", older.token);
    const [kept] = await db.collection("idempotency_key").find({ result: body.id }).toArray();
    expect(Math.abs(kept?.expires_at.getTime() - inMinutes(24 * 60).getTime())).toBeLessThan(60_000);
    const indexes = await db.collection("idempotency_key").listIndexes().toArray();
    expect(indexes).toContainEqual(expect.objectContaining({ key: { expires_at: 1 }, expireAfterSeconds: 0 }));
    for (const name of ["idempotency_key", "request_mark"]) {
      await db.collection(name).updateMany({}, { $set: { expires_at: inMinutes(-1) } });
    }
    const anew = await create("day", "Day", older.token);
    expect([anew.status, replayed(anew), anew.body.id === body.id]).toEqual([201, null, false]);
  });

  it("is limited for each organization, and beyond the limit only new keys are refused", async () => {
    const full = await registerOrganization();
    const store = mongo.db(full.organizationId).collection<Stored>("idempotency_key");
    const first = await create("before", "Before", full.token);
    for (let index = 0; index < 5; index += 1) {
      const filling = { _id: `filling-${index}`, body_hash: "", result: [], filling: "x".repeat(14 * 1024 * 1024) };
      await store.insertOne({ ...filling, expires_at: inMinutes(60) });
    }
    const refused = await create("after", "After", full.token);
    expect([refused.status, refused.body.code]).toEqual([429, "too_many_idempotency_keys"]);
    expect(refused.headers.get("retry-after")).toBe("3600");
    expect((await create("before", "Before", full.token)).body).toEqual(first.body);
    await http.post("/v1/object/lead", { token: full.token, body: { name: "After" }, expect: 201 });
    await create("elsewhere", "Elsewhere");
    await store.deleteMany({ filling: { $exists: true } });
    expect((await create("after", "After", full.token)).status).toBe(201);
    const query = { q: "SELECT name FROM lead WHERE name = 'After'" };
    expect((await http.get("/v1/query", { token: full.token, query, expect: 200 })).body.records).toHaveLength(2);
  });
});
