import type { Db, Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { databaseClient, http, invokeOperation, registerOrganization, type User } from "../../platform.ts";

type Stored = Document & { _id: string };

let owner: User;
let client: MongoClient;
let database: Db;
let objects = 0;

beforeAll(async () => {
  owner = await registerOrganization();
  client = await databaseClient();
  database = client.db(owner.organizationId);
});

afterAll(() => client.close());

/** A new object with a field `code` and records with these codes. */
const objectWith = async (codes: readonly string[], field: object = {}): Promise<string> => {
  objects += 1;
  const object = `thing_${objects}`;
  const code = { name: "Code", api_name: "code", type: "string", ...field };
  await http.post("/v1/schema", { token: owner.token, body: { name: object, fields: [code] }, expect: 201 });
  for (const [index, value] of codes.entries()) await write(object, { name: `R${index}`, code: value });
  return object;
};

const write = (object: string, body: object, expected = 201) =>
  http.post(`/v1/object/${object}`, { token: owner.token, body, expect: expected });
const add = (object: string, body: object) =>
  http.post("/v1/schema/field", {
    token: owner.token,
    body: { object_id: object, type: "string", ...body },
    expect: 200,
  });
const change = (object: string, body: object, expected = 200) =>
  http.patch("/v1/schema/field", {
    token: owner.token,
    body: { object_id: object, api_name: "code", ...body },
    expect: expected,
  });
const fieldOf = async (object: string, name = "code") =>
  (await http.get(`/v1/schema/${object}`, { token: owner.token, expect: 200 })).body.properties[name];
const isReady = (object: string, name = "code") =>
  vi.waitFor(async () => expect((await fieldOf(object, name)).index_status).toBe("ready"), {
    timeout: 120_000,
    interval: 50,
  });
const indexes = async (object: string): Promise<string[]> =>
  (await database.collection(object).listIndexes().toArray()).map(({ name }) => name).sort();

const schemas = () => database.collection<Stored>("schemas");
const states = () => database.collection<Stored>("organization_state");
const newVersion = (change: object = {}) =>
  states().updateOne({ _id: owner.organizationId }, { $inc: { schema_version: 1 }, ...change });

/** As a request that was killed between its commit and the invocation has left it. */
const unbuilt = async (object: string): Promise<void> => {
  const set = { "properties.code.unique": true, "properties.code.index_status": "building" };
  await schemas().updateOne({ api_name: object }, { $set: set });
  await newVersion();
  const registry = client.db("base").collection<Stored>("organization");
  const marked = { $unset: { migrated: "" }, $set: { index_change_at: new Date(Date.now() - 120_000) } };
  await registry.updateOne({ _id: owner.organizationId }, marked);
};

const build = (object: string) => invokeOperation("build-indexes", { organization_id: owner.organizationId, object });

describe("index_status", () => {
  it("is absent of a field without an index, and ready at once where there are no records", async () => {
    const object = await objectWith([]);
    expect(await fieldOf(object)).not.toHaveProperty("index_status");
    expect((await change(object, { unique: true })).body.index_status).toBe("ready");
    expect(
      (await add(object, { name: "Company", type: "json", format: "lookup", schema: "company" })).body,
    ).toMatchObject({ index_status: "ready" });
    expect(await indexes(object)).toEqual(expect.arrayContaining(["tenantry_unique_code", "tenantry_company.id+id"]));
    const { body } = await change(object, { unique: false });
    expect(body).not.toHaveProperty("index_status");
  });

  it("becomes ready after a field of an object with records was made unique, and equal values are refused then", async () => {
    const object = await objectWith(["a", "b"]);
    const { body } = await change(object, { unique: true });
    expect(["building", "ready"]).toContain(body.index_status);
    await isReady(object);
    expect(await indexes(object)).toContain("tenantry_unique_code");
    await write(object, { name: "X", code: "a" }, 409);
  });

  it("cannot be set by a caller", async () => {
    const object = await objectWith([]);
    await change(object, { index_status: "ready" }, 422);
  });

  it("is in no audit entry, which has what people have changed", async () => {
    const object = await objectWith(["a"]);
    await change(object, { unique: true });
    await isReady(object);
    const entries = await database
      .collection("audit_entry")
      .find({ name: `schemas updated: ${object}` })
      .toArray();
    expect(entries).toHaveLength(1);
    expect(JSON.stringify(entries)).not.toContain("index_status");
  });
});

describe("a field that is to be unique", () => {
  it("is refused with the number of records with equal values and the ids of twenty, and nothing changes", async () => {
    const object = await objectWith([...Array.from({ length: 23 }, () => "same"), "other"]);
    const before = await schemas().findOne({ api_name: object });
    const { body } = await change(object, { unique: true }, 409);
    expect(body.detail).toMatch(/^23 records of "thing_\d+" hold values of "code" that other records hold too: /);
    expect(body.detail.match(/"[0-9a-f-]{36}"/g)).toHaveLength(20);
    expect(await schemas().findOne({ api_name: object })).toEqual(before);
  });

  it("is failed with a reason if equal values came meanwhile, and is built when it is changed again", async () => {
    const object = await objectWith(["same", "same", "x"]);
    await unbuilt(object);
    await build(object);
    expect(await fieldOf(object)).toMatchObject({
      index_status: "failed",
      index_failure: expect.stringMatching(/^2 records of /),
    });
    await write(object, { name: "X", code: "x" });
    await change(object, { unique: true }, 409);
    await database.collection(object).deleteMany({});
    await write(object, { name: "Y", code: "x" });
    const { body } = await change(object, { unique: true });
    expect(body).not.toHaveProperty("index_failure");
    await isReady(object);
    await write(object, { name: "Z", code: "x" }, 409);
  });

  it("may have equal values again as soon as it is no longer unique", async () => {
    const object = await objectWith(["a"], { unique: true });
    await change(object, { unique: false });
    await write(object, { name: "B", code: "a" });
    expect(await indexes(object)).not.toContain("tenantry_unique_code");
  });

  it("of a deleted object refuses nothing in a new object of the same name", async () => {
    const object = await objectWith(["a"], { unique: true });
    await http.delete(`/v1/schema/${object}?force=true`, { token: owner.token, expect: 200 });
    const body = { name: object, fields: [{ name: "Code", type: "string" }] };
    await http.post("/v1/schema", { token: owner.token, body, expect: 201 });
    await write(object, { name: "B", code: "a" });
  });
});

describe("an index whose building was interrupted", () => {
  it("is built by the next run of the migrations, also if the organization was up to date", async () => {
    const object = await objectWith(["a"]);
    await unbuilt(object);
    await invokeOperation("migrate", { organization_ids: [owner.organizationId] });
    expect((await fieldOf(object)).index_status).toBe("ready");
    const entry = await client.db("base").collection<Stored>("organization").findOne({ _id: owner.organizationId });
    expect(entry).toHaveProperty("migrated");
  });

  it("is built after the next change of the object", async () => {
    const object = await objectWith(["a"]);
    await unbuilt(object);
    await http.patch("/v1/schema", { token: owner.token, body: { id: object, description: "Changed" }, expect: 204 });
    await isReady(object);
  });

  it("waits for the lease of a process that was killed", async () => {
    const object = await objectWith(["a"]);
    await unbuilt(object);
    const lease = { id: "killed", until: new Date(Date.now() + 1_500) };
    await newVersion({ $set: { [`index_builds.${object}`]: lease } });
    await build(object);
    expect(Date.now()).toBeGreaterThan(lease.until.getTime());
    expect((await fieldOf(object)).index_status).toBe("ready");
    expect((await states().findOne({ _id: owner.organizationId }))?.index_builds).not.toHaveProperty(object);
  });
});

describe("an object whose first records were not written by a request", () => {
  it("gets its indexes after the first write, which does not wait for them", async () => {
    expect(await indexes("user")).toEqual(["_id_"]);
    await http.patch(`/v1/object/user/${owner.id}`, { token: owner.token, body: { name: "Olga" }, expect: 200 });
    await vi.waitFor(async () => expect(await indexes("user")).toContain("tenantry_created_date+id"), {
      timeout: 120_000,
      interval: 50,
    });
  });
});

describe("several changes of one object at the same time", () => {
  it("end with the indexes of all of them", async () => {
    const object = await objectWith(["a", "b"], { indexed: true });
    await Promise.all([
      add(object, { name: "One", unique: true }),
      add(object, { name: "Two", indexed: true }),
      change(object, { unique: true }),
      add(object, { name: "Three", unique: true }),
    ]);
    for (const name of ["one", "two", "code", "three"]) await isReady(object, name);
    const names = await indexes(object);
    expect(names.filter((name) => /one|two|three|code/.test(name))).toEqual([
      "tenantry_two+id",
      "tenantry_unique_code",
      "tenantry_unique_one",
      "tenantry_unique_three",
    ]);
  });

  it("that switch uniqueness on and off leave the index that the stored field says", async () => {
    const object = await objectWith(["a"]);
    await Promise.all([true, false, true, false].map((unique) => change(object, { unique })));
    await vi.waitFor(
      async () => {
        const { unique, index_status } = await fieldOf(object);
        expect(index_status).toBe(unique ? "ready" : undefined);
        expect((await indexes(object)).includes("tenantry_unique_code")).toBe(unique);
      },
      { timeout: 120_000, interval: 50 },
    );
  });
});
