import { beforeAll, describe, expect, it, vi } from "vitest";
import { databaseClient, http, registerOrganization, type User } from "../../platform.ts";

let owner: User;

beforeAll(async () => {
  owner = await registerOrganization();
  await http.post("/v1/schema", { token: owner.token, body: { name: "Part" }, expect: 201 });
});

const add = (body: object, expected = 200) =>
  http.post("/v1/schema/field", { token: owner.token, body: { object_id: "part", ...body }, expect: expected });
const change = (body: object, expected = 200) =>
  http.patch("/v1/schema/field", { token: owner.token, body: { object_id: "part", ...body }, expect: expected });
const remove = (field: string, expected = 200, query = "") =>
  http.delete(`/v1/schema/part/${field}${query}`, { token: owner.token, expect: expected });
/** Resolves when the index of a field is no longer being built. */
const indexOf = (field: string): Promise<string> =>
  vi.waitFor(
    async () => {
      const { body } = await http.get("/v1/schema/part", { token: owner.token, expect: 200 });
      expect(body.properties[field].index_status).not.toBe("building");
      return body.properties[field].index_status;
    },
    { timeout: 120_000, interval: 50 },
  );
const write = (body: object, expected = 201) =>
  http.post("/v1/object/part", { token: owner.token, body, expect: expected });

describe("POST /v1/schema/field", () => {
  it("adds a field that the next request knows, to records that exist without a value", async () => {
    const { body: record } = await write({ name: "Bolt" });
    const { body } = await add({ name: "Unit price", type: "number", format: "currency", default: 1 });
    expect(body).toEqual({
      api_name: "unit_price",
      name: "Unit price",
      type: "number",
      format: "currency",
      default: 1,
      required: false,
    });
    const again = await http.get(`/v1/object/part/${record.id}`, { token: owner.token, expect: 200 });
    expect(again.body.unit_price).toBeNull();
    expect((await write({ name: "Nut" })).body.unit_price).toBe(1);
    await write({ name: "Nut", unit_price: "cheap" }, 422);
  });

  it("409 for a field that exists, 404 for an object that does not, 422 for what does not go together", async () => {
    expect((await add({ name: "Name", type: "string" }, 409)).body.code).toBe("field_exists");
    expect((await add({ name: "Owner", type: "string" }, 409)).body.code).toBe("field_exists");
    await add({ object_id: "nothing", name: "A", type: "string" }, 404);
    const { body } = await add({ name: "Broken", type: "boolean", unique: true, values: ["a", "a"] }, 422);
    expect(body.detail.map(({ loc }: { loc: string[] }) => loc.join(".")).sort()).toEqual([
      "body.unique",
      "body.values",
      "body.values.1",
    ]);
  });

  it("makes the values of a unique field unique", async () => {
    await add({ name: "Serial", type: "string", unique: true });
    await indexOf("serial");
    await write({ name: "A", serial: "1" });
    expect((await write({ name: "B", serial: "1" }, 409)).body.code).toBe("duplicate_value");
  });

  it("with an Idempotency-Key answers a repeated request alike", async () => {
    const body = { object_id: "part", name: "Weight", type: "number" };
    const headers = { "idempotency-key": "weight-1" };
    const send = () => http.post("/v1/schema/field", { token: owner.token, body, headers, expect: 200 });
    expect((await send()).body).toEqual((await send()).body);
  });
});

describe("PATCH /v1/schema/field", () => {
  it("changes what is given, and records are checked by it", async () => {
    await add({ name: "Grade", type: "string", format: "enum", values: ["a"], restricted: true });
    await write({ name: "X", grade: "b" }, 422);
    const { body } = await change({ api_name: "grade", values: ["a", "b"], help_text: "From a to b" });
    expect(body).toMatchObject({ values: ["a", "b"], restricted: true, help_text: "From a to b", name: "Grade" });
    await write({ name: "X", grade: "b" });
  });

  it("409 for another type while records hold values that do not fit, which stay as they are", async () => {
    await add({ name: "Code", type: "string" });
    const { body: record } = await write({ name: "X", code: "not a number" });
    expect((await change({ api_name: "code", type: "number" }, 409)).body.code).toBe("values_do_not_fit");
    expect((await change({ api_name: "code", format: "email" }, 409)).body.detail).toContain(record.id);
    await change({ api_name: "code", format: "text-area" });
    const patch = { token: owner.token, body: { code: null }, expect: 200 };
    await http.patch(`/v1/object/part/${record.id}`, patch);
    expect((await change({ api_name: "code", type: "number", format: "percent" })).body.type).toBe("number");
  });

  it("409 for unique while records hold equal values, named by their ids", async () => {
    await add({ name: "Bin", type: "string" });
    const ids = [(await write({ name: "A", bin: "1" })).body.id, (await write({ name: "B", bin: "1" })).body.id];
    const { body } = await change({ api_name: "bin", unique: true }, 409);
    expect(body.code).toBe("duplicate_value");
    for (const id of ids) expect(body.detail).toContain(id);
    await http.delete(`/v1/object/part/${ids[0]}`, { token: owner.token, expect: 200 });
    await change({ api_name: "bin", unique: true });
    await indexOf("bin");
    await write({ name: "C", bin: "1" }, 409);
  });

  it("400 for another type of a standard field and for system fields, 404 for a field that is not there", async () => {
    const standard = { object_id: "lead", api_name: "email", type: "number", format: "percent" };
    expect((await change(standard, 400)).body.code).toBe("standard_object");
    expect((await change({ api_name: "owner", name: "Boss" }, 400)).body.code).toBe("standard_object");
  });

  it("changes no field that decides rights but in its labels, so that changes of rights leave a trace", async () => {
    const settings = [
      ["permission", "object_permissions", { sensitive: true }],
      ["user", "permissions", { sensitive: true }],
      ["role", "view_access", { values: ["personal"] }],
      ["organization", "settings", { required: true }],
    ] as const;
    for (const [object_id, api_name, setting] of settings) {
      const { body } = await change({ object_id, api_name, ...setting }, 400);
      expect(body.code).toBe("standard_object");
      expect((await change({ object_id, api_name, name: "Relabelled" })).body.name).toBe("Relabelled");
    }
    expect((await change({ api_name: "nothing", name: "X" }, 404)).body.code).toBe("field_not_found");
    await change({ object_id: "lead", api_name: "email", help_text: "Work address" });
  });
});

describe("DELETE /v1/schema/{object_id}/{field_name}", () => {
  it("keeps the values in the database and shows them to no one; a field of the same name has them again", async () => {
    await add({ name: "Colour", type: "string" });
    const { body: record } = await write({ name: "X", colour: "red" });
    expect((await remove("colour")).body).toEqual({ deleted: "colour" });
    const read = async () => (await http.get(`/v1/object/part/${record.id}`, { token: owner.token, expect: 200 })).body;
    expect(await read()).not.toHaveProperty("colour");
    await http.patch(`/v1/object/part/${record.id}`, { token: owner.token, body: { name: "Y" }, expect: 200 });
    const sql = { token: owner.token, body: { query: "SELECT colour FROM part" }, expect: 422 };
    await http.post("/v1/query", sql);
    await remove("colour", 404);
    expect((await add({ name: "Colour", type: "number" }, 409)).body.code).toBe("values_do_not_fit");
    await add({ name: "Colour", type: "string" });
    expect((await read()).colour).toBe("red");
  });

  it("400 for `name`, standard fields and system fields, 404 for an object that is not there", async () => {
    for (const field of ["name", "id", "owner"]) {
      expect((await remove(field, 400, "?force=true")).body.code).toBe("standard_object");
    }
    await http.delete("/v1/schema/lead/status", { token: owner.token, expect: 400 });
    await http.delete("/v1/schema/nothing/status", { token: owner.token, expect: 404 });
  });
});

describe("POST /v1/schema/generate/", () => {
  const generate = () => http.post("/v1/schema/generate/", { token: owner.token, expect: 200 });

  it("restores standard objects and fields, describes collections without an object, and then changes nothing", async () => {
    const mongo = await databaseClient();
    const database = mongo.db(owner.organizationId);
    const schemas = database.collection<{ _id: string }>("schemas");
    await schemas.deleteOne({ _id: "note" });
    await schemas.updateOne({ _id: "lead" }, { $unset: { "properties.source": 1 }, $set: { name: "Prospect" } });
    const records = [
      { _id: "1", id: "1", name: "One", amount: 5, at: new Date(0), odd: 1, contact: { id: "c", schema: "contact" } },
      { _id: "2", id: "2", name: "Two", amount: 7.5, at: new Date(1), odd: "x", "a b": 1 },
    ];
    await database.collection<{ _id: string }>("imported").insertMany(records);
    await mongo.close();
    const { body } = await generate();
    expect(body).toMatchObject({ created: ["imported", "note"], updated: ["lead"] });
    const found = (await http.get("/v1/schema/imported", { token: owner.token, expect: 200 })).body;
    expect(found).toMatchObject({
      custom: true,
      properties: {
        amount: { type: "number" },
        at: { type: "string", format: "date-time" },
        odd: { type: "json", format: "json" },
        contact: { type: "json", format: "lookup", schema: "contact" },
      },
    });
    expect(found.properties).not.toHaveProperty(["a b"]);
    const lead = (await http.get("/v1/schema/lead", { token: owner.token, expect: 200 })).body;
    expect([lead.name, lead.properties.source.type]).toEqual(["Prospect", "string"]);
    const again = (await generate()).body;
    expect([again.created, again.updated]).toEqual([[], []]);
    expect(again.unchanged).toContain("imported");
  });
});
