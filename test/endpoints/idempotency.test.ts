import { beforeAll, describe, expect, it } from "vitest";
import { addUser, databaseClient, http, registerOrganization, type User } from "../platform.ts";

let owner: User;

beforeAll(async () => {
  owner = await registerOrganization();
});

const create = (key: string, name: string, token = owner.token, object = "lead") =>
  http.post(`/v1/object/${object}`, { token, body: { name }, headers: { "idempotency-key": key } });

const count = async (name: string): Promise<number> => {
  const q = `SELECT id FROM lead WHERE name = '${name}'`;
  return (await http.get("/v1/query", { token: owner.token, query: { q }, expect: 200 })).body.records.length;
};

describe("an Idempotency-Key", () => {
  it("makes a repeated request answer as the first did, and write once", async () => {
    const first = await create("k1", "Once");
    const second = await create("k1", "Once");
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body).toEqual(first.body);
    expect(first.headers.get("idempotency-replayed")).toBeNull();
    expect(second.headers.get("idempotency-replayed")).toBe("true");
    expect(await count("Once")).toBe(1);
  });

  it("lets one of many equal requests at once through", async () => {
    const replies = await Promise.all(Array.from({ length: 12 }, () => create("k2", "Race")));
    for (const reply of replies) expect([201, 409]).toContain(reply.status);
    for (const reply of replies.filter(({ status }) => status === 409)) {
      expect(reply.body.code).toBe("idempotency_in_flight");
      expect(reply.headers.get("retry-after")).toBe("1");
    }
    expect(new Set(replies.filter(({ status }) => status === 201).map(({ body }) => body.id)).size).toBe(1);
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
    const mine = await create("k4", "Mine");
    const theirs = await create("k4", "Theirs", member.token);
    expect(theirs.status).toBe(201);
    expect(theirs.body.id).not.toBe(mine.body.id);
  });

  it("keeps no failure: the corrected request may use the same key", async () => {
    const refused = await http.post("/v1/object/lead", {
      token: owner.token,
      body: { name: 5 },
      headers: { "idempotency-key": "k5" },
    });
    expect(refused.status).toBe(422);
    expect((await create("k5", "Corrected")).status).toBe(201);
  });

  it("is carried out once when whoever held it died between the writes and the answer", async () => {
    const records = [{ name: "Held" }, { name: "Held" }];
    const send = () =>
      http.post("/v1/object/lead", { token: owner.token, body: records, headers: { "idempotency-key": "k6" } });
    const first = await send();
    const mongo = await databaseClient();
    const keys = mongo.db("base").collection("idempotency_key");
    const latest = await keys.findOne({ "answer.body": { $regex: first.body[0].id } });
    if (latest === null) throw new Error("no key is stored");
    await keys.updateOne({ _id: latest._id }, { $set: { answer: null, lease_until: new Date(Date.now() + 30_000) } });
    expect((await send()).status).toBe(409);
    await keys.updateOne({ _id: latest._id }, { $set: { lease_until: new Date(Date.now() - 1) } });
    const second = await send();
    expect([second.status, second.body]).toEqual([201, first.body]);
    await keys.deleteOne({ _id: latest._id });
    expect((await send()).body).toEqual(first.body);
    expect(await count("Held")).toBe(2);
    await mongo.close();
  });

  it("is carried out when whoever held it died before the writes", async () => {
    const mongo = await databaseClient();
    const keys = mongo.db("base").collection("idempotency_key");
    const first = await create("k7", "Cut off");
    const latest = await keys.findOne({ "answer.body": { $regex: first.body.id } });
    if (latest === null) throw new Error("no key is stored");
    await keys.updateOne({ _id: latest._id }, { $set: { answer: null, lease_until: new Date(Date.now() - 1) } });
    const tenant = mongo.db(owner.organizationId);
    await tenant.collection("request_mark").deleteMany({});
    await tenant.collection("lead").deleteMany({ name: "Cut off" });
    expect((await create("k7", "Cut off")).status).toBe(201);
    expect(await count("Cut off")).toBe(1);
    await mongo.close();
  });

  it("must be 1 to 255 characters long", async () => {
    expect((await create("x".repeat(256), "Long")).body.detail[0].loc).toEqual(["headers", "idempotency-key"]);
  });
});
