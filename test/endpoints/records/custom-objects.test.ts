import type { Db, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databaseClient, http, invokeOperation, registerOrganization, type User } from "../../platform.ts";

let owner: User;
let client: MongoClient;
let database: Db;

const ticket = {
  _id: "0190a000-0000-7000-8000-00000000beef",
  id: "0190a000-0000-7000-8000-00000000beef",
  api_name: "ticket",
  name: "Ticket",
  exclusive_ownership: true,
  properties: {
    number: { api_name: "number", name: "Number", type: "string", format: "auto-number", default: "T-{0000}" },
    rank: { api_name: "rank", name: "Rank", type: "number", format: "auto-number" },
    code: { api_name: "code", name: "Code", type: "string", unique: true },
    opened: { api_name: "opened", name: "Opened", type: "string", format: "date-time" },
    tags: { api_name: "tags", name: "Tags", type: "list", format: "multi-select", values: ["a", "b"], default: ["a"] },
  },
};

const schemas = () => database.collection<{ _id: string; properties: Record<string, object> }>("schemas");

/** An operator's manual change of a schema: the change, and the new version. */
const changeSchema = async (change: () => Promise<unknown>): Promise<void> => {
  await change();
  const state = database.collection<{ _id: string }>("organization_state");
  await state.updateOne({ _id: owner.organizationId }, { $inc: { schema_version: 1 } });
};

beforeAll(async () => {
  owner = await registerOrganization();
  client = await databaseClient();
  database = client.db(owner.organizationId);
  await changeSchema(() => schemas().insertOne(ticket));
});

afterAll(() => client.close());

const buildIndexes = () =>
  invokeOperation("build-indexes", { organization_id: owner.organizationId, object: "ticket" });

const create = (body: unknown, expected = 201) =>
  http.post("/v1/object/ticket", { token: owner.token, body, expect: expected });

describe("an auto-number field", () => {
  it("numbers records in the order of a batch, also with concurrent writes", async () => {
    await create({ number: "T-9999" }, 422);
    const replies = await Promise.all(Array.from({ length: 8 }, () => create([{}, {}, {}])));
    const ranks = replies.map(({ body }) => body.map(({ rank }: { rank: number }) => rank));
    for (const [first, ...rest] of ranks) expect(rest).toEqual([first + 1, first + 2]);
    expect(ranks.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: 24 }, (_, index) => index + 1));
    expect(replies[0]?.body[0].number).toMatch(/^T-00\d\d$/);
  });

  it("leaves a gap for a write that fails, and gives no number twice", async () => {
    await create({ code: "x" });
    const before = (await create({})).body.rank;
    await create([{ code: "y" }, { code: "x" }], 409);
    expect((await create({})).body.rank).toBe(before + 3);
  });

  it("takes no number for records that are refused before they are written", async () => {
    const before = (await create({})).body.rank;
    await create({ opened: "yesterday" }, 422);
    expect((await create({})).body.rank).toBe(before + 1);
  });

  it("gives a repeated request the numbers of the first one", async () => {
    const headers = { "idempotency-key": "numbers" };
    const send = () => http.post("/v1/object/ticket", { token: owner.token, body: [{}, {}], headers });
    const replies = await Promise.all(Array.from({ length: 6 }, send));
    const first = replies.find(({ status }) => status === 201)?.body;
    expect(first).toHaveLength(2);
    expect((await send()).body).toEqual(first);
    expect((await create({})).body.rank).toBe(first[1].rank + 1);
  });

  it("is distinct in 50 parallel creates, of which unique values refuse 25", async () => {
    const send = (index: number) =>
      http.post("/v1/object/ticket", { token: owner.token, body: { code: `parallel-${index % 25}` } });
    const replies = await Promise.all(Array.from({ length: 50 }, (_, index) => send(index)));
    const created = replies.filter(({ status }) => status === 201).map(({ body }) => body);
    expect(replies.map(({ status }) => status).sort()).toEqual([...Array(25).fill(201), ...Array(25).fill(409)]);
    expect(new Set(created.map(({ code }) => code)).size).toBe(25);
    expect(new Set(created.map(({ rank }) => rank)).size).toBe(25);
    expect(new Set(created.map(({ number }) => number)).size).toBe(25);
    expect(await database.collection("ticket").countDocuments({ code: /^parallel-/ })).toBe(25);
  });
});

describe("the fields of a custom object", () => {
  it("are stored by their formats, and shown as they were sent", async () => {
    const { body } = await create({ opened: "2026-01-31T10:30:00+01:00" });
    expect(body).toMatchObject({ opened: "2026-01-31T09:30:00.000Z", tags: ["a"] });
    const stored = await database.collection<{ _id: string }>("ticket").findOne({ _id: body.id });
    expect(stored).toMatchObject({ _id: body.id, id: body.id, opened: new Date("2026-01-31T09:30:00Z") });
    expect(stored).not.toHaveProperty("code");
  });

  it("allow no sharing of a record where ownership is exclusive", async () => {
    const { body } = await create({ shared_with: [{ user: owner.id, access: "read" }] }, 422);
    expect(body.detail[0].type).toBe("exclusive_ownership");
  });
});

describe("the indexes of a custom object", () => {
  const names = async (): Promise<string[]> => {
    const indexes = await database.collection("ticket").listIndexes().toArray();
    return indexes.map(({ name }) => name).sort();
  };

  it("exist with the first record, and change with the schema", async () => {
    await create({});
    const own = [
      "_id_",
      ...["_readers", "created_date", "modified_date", "owner.id"].map((path) => `tenantry_${path}+id`),
    ];
    expect(await names()).toEqual([...own, "tenantry_unique_code"]);
    const code = { ...ticket.properties.code, unique: false };
    await changeSchema(() => schemas().updateOne({ _id: ticket._id }, { $set: { "properties.code": code } }));
    await buildIndexes();
    await create({ code: "same" });
    await create({ code: "same" });
    expect(await names()).toEqual(own);
  });

  it("are not built by a write to a collection with records, and cannot be unique over equal values", async () => {
    await changeSchema(() =>
      schemas().updateOne({ _id: ticket._id }, { $set: { "properties.code": ticket.properties.code } }),
    );
    await create({ code: "same" });
    expect(await names()).not.toContain("tenantry_unique_code");
    await buildIndexes();
    const { body } = await http.get("/v1/schema/ticket", { token: owner.token, expect: 200 });
    expect(body.properties.code).toMatchObject({
      index_status: "failed",
      index_failure: expect.stringMatching(
        /^3 records of "ticket" hold values of "code" that other records hold too: /,
      ),
    });
    await database.collection("ticket").deleteMany({ code: "same" });
    await create({ code: "other" });
    await buildIndexes();
    await create({ code: "other" }, 409);
  });
});

describe("a field that was removed from the schema", () => {
  it("is neither shown nor writable, but stays stored", async () => {
    const { body } = await create({ code: "kept" });
    await changeSchema(() => schemas().updateOne({ _id: ticket._id }, { $unset: { "properties.code": "" } }));
    const shown = await http.get(`/v1/object/ticket/${body.id}`, { token: owner.token, expect: 200 });
    expect(shown.body).not.toHaveProperty("code");
    await create({ code: "x" }, 422);
    const stored = await database.collection<{ _id: string }>("ticket").findOne({ _id: body.id });
    expect(stored).toMatchObject({ code: "kept" });
  });
});
