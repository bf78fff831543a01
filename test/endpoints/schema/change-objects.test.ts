import { beforeAll, describe, expect, it } from "vitest";
import { addUser, http, registerOrganization, type User } from "../../platform.ts";

let owner: User;

beforeAll(async () => {
  owner = await registerOrganization();
});

const create = (body: object, expected: number, token = owner.token) =>
  http.post("/v1/schema", { token, body, expect: expected });
const read = (name: string, expected = 200) => http.get(`/v1/schema/${name}`, { token: owner.token, expect: expected });
const audited = async (name: string) => {
  const q = `SELECT action, changes FROM audit_entry WHERE object = 'schemas' AND name LIKE '%: ${name}' ORDER BY at`;
  const reply = await http.post("/v1/query", { token: owner.token, body: { query: q }, expect: 200 });
  return reply.body.records as { action: string; changes: Record<string, unknown> }[];
};

describe("POST /v1/schema", () => {
  it("creates an object with its fields, and the next request writes, reads and queries its records", async () => {
    const fields = [
      { name: "Amount", type: "number", format: "currency" },
      { name: "Due date", type: "string", format: "date", required: true },
      { name: "Company", type: "json", format: "lookup", schema: "company" },
      { name: "Stage", type: "string", format: "enum", values: ["Open", "Done"], restricted: true, default: "Open" },
    ];
    const body = { name: "Work Order", plural_name: "Work orders", description: "What we do.", fields };
    const created = await create(body, 201);
    expect(created.body).toMatchObject({
      api_name: "work_order",
      name: "Work Order",
      plural_name: "Work orders",
      custom: true,
      ownership: true,
      required: ["name", "due_date"],
      properties: { due_date: { name: "Due date", required: true }, stage: { values: ["Open", "Done"] } },
    });
    expect((await read("work_order")).body).toEqual(created.body);
    const record = { name: "First", amount: 12.5, due_date: "2026-12-01" };
    const written = await http.post("/v1/object/work_order", { token: owner.token, body: record, expect: 201 });
    expect(written.body).toMatchObject({ ...record, stage: "Open", company: null });
    await http.post("/v1/object/work_order", { token: owner.token, body: { name: "Second" }, expect: 422 });
    const query = { query: "SELECT name, stage FROM work_order WHERE amount > 10" };
    const found = await http.post("/v1/query", { token: owner.token, body: query, expect: 200 });
    expect(found.body.records).toEqual([{ name: "First", stage: "Open" }]);
    const [entry, ...others] = await audited("work_order");
    expect([entry?.action, others]).toEqual(["created", []]);
    expect(entry?.changes).toHaveProperty(["field amount", "to", "type"], "number");
  });

  it("reports all settings that do not go together at once", async () => {
    const fields = [
      { name: "A", type: "number", format: "email" },
      { name: "B", type: "json", format: "lookup", schema: "nothing" },
      { name: "C", type: "string", restricted: true },
      { name: "A", type: "string" },
      { name: "owner", type: "string" },
      { name: "¿?", type: "string" },
    ];
    const { body } = await create({ name: "Broken", api_name: "schemas", fields }, 422);
    const found = body.detail.map(({ loc, type }: { loc: unknown[]; type: string }) => `${loc.join(".")} ${type}`);
    expect(found.sort()).toEqual([
      "body.api_name reserved",
      "body.fields.0.type field_type",
      "body.fields.1.schema unknown_object",
      "body.fields.2.values missing",
      "body.fields.3 duplicate",
      "body.fields.4 read_only",
      "body.fields.5.api_name missing",
    ]);
  });

  it.each([
    ["an unknown setting", { name: "X", colour: "red" }],
    ["a name that is too long", { name: "x".repeat(256) }],
    ["an api_name with a capital letter", { name: "X", api_name: "Xy" }],
    ["the name of a property that every JavaScript object has", { name: "Constructor" }],
    ["a field of that name", { name: "X", fields: [{ name: "A", api_name: "constructor", type: "string" }] }],
    ["an api_name with a dot", { name: "X", api_name: "a.b" }],
    ["an unknown type of a field", { name: "X", fields: [{ name: "A", type: "text" }] }],
    ["a default that the field refuses", { name: "X", fields: [{ name: "A", type: "number", default: "one" }] }],
    [
      "too many fields",
      { name: "X", fields: Array.from({ length: 501 }, (_, i) => ({ name: `F${i}`, type: "string" })) },
    ],
    ["an encrypted number", { name: "X", fields: [{ name: "A", type: "number", encrypted: true }] }],
  ])("422 for %s", async (_, body) => {
    expect((await create(body, 422)).body.code).toBe("validation_failed");
    await read("x", 404);
  });

  it("409 for an api_name that is taken, and one of many equal requests at once creates it", async () => {
    expect((await create({ name: "Lead" }, 409)).body.code).toBe("schema_exists");
    const send = () => http.post("/v1/schema", { token: owner.token, body: { name: "Contested" } });
    const replies = await Promise.all(Array.from({ length: 8 }, send));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 7 }, () => 409)]);
    expect((await audited("contested")).map(({ action }) => action)).toEqual(["created"]);
  });

  it("422 for more indexes than an object may have; with the most, records can be written", async () => {
    const { token } = owner;
    const lookups = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        name: `Link ${index}`,
        type: "json",
        format: "lookup",
        schema: "company",
      }));
    const refused = await create({ name: "Much linked", fields: lookups(70) }, 422);
    expect(refused.body.detail[0].type).toBe("too_many_indexes");
    // The dates, the owner and the readers have the other four.
    await create({ name: "Much linked", fields: lookups(46) }, 201);
    await http.post("/v1/object/much_linked", { token, body: { name: "x" }, expect: 201 });
    const field = { object_id: "much_linked", name: "Note", type: "string" };
    const { body } = await http.post("/v1/schema/field", { token, body: { ...field, indexed: true }, expect: 422 });
    expect(body.detail[0].type).toBe("too_many_indexes");
    await http.post("/v1/schema/field", { token, body: field, expect: 200 });
  });

  it("403 for a member", async () => {
    const member = await addUser(owner.organizationId, { permissions: [] });
    await create({ name: "Mine" }, 403, member.token);
  });
});

describe("PATCH /v1/schema", () => {
  it("changes what is given and nothing else", async () => {
    const { body: before } = await create({ name: "Asset", description: "Things", color: "red" }, 201);
    const change = { id: before.id, name: "Equipment", color: null, exclusive_ownership: true };
    const reply = await http.patch("/v1/schema", { token: owner.token, body: change, expect: 204 });
    expect(reply.body).toBeUndefined();
    const { id, ...changed } = change;
    expect((await read("asset")).body).toEqual({ ...before, ...changed });
    const [, entry] = await audited("asset");
    expect(Object.keys(entry?.changes ?? {}).sort()).toEqual(["color", "exclusive_ownership", "name"]);
  });

  it("404 for an object that does not exist, 422 for another api_name", async () => {
    await http.patch("/v1/schema", { token: owner.token, body: { id: "nothing", name: "X" }, expect: 404 });
    await http.patch("/v1/schema", { token: owner.token, body: { id: "asset", api_name: "other" }, expect: 422 });
  });

  it("of two administrators at the same time loses neither change", async () => {
    await create({ name: "Shared" }, 201);
    const changes = Array.from({ length: 6 }, (_, index) =>
      http.post("/v1/schema/field", {
        token: owner.token,
        body: { object_id: "shared", name: `Field ${index}`, type: "string" },
        expect: 200,
      }),
    );
    const label = http.patch("/v1/schema", { token: owner.token, body: { id: "shared", icon: "star" }, expect: 204 });
    await Promise.all([...changes, label]);
    const { body } = await read("shared");
    expect(Object.keys(body.properties).filter((name) => name.startsWith("field_"))).toHaveLength(6);
    expect(body.icon).toBe("star");
  });
});

describe("DELETE /v1/schema/{object}", () => {
  const remove = (name: string, expected: number, query = "") =>
    http.delete(`/v1/schema/${name}${query}`, { token: owner.token, expect: expected });

  it("deletes an object without records; a second time there is none", async () => {
    await create({ name: "Empty" }, 201);
    expect((await remove("empty", 200)).body).toEqual({ deleted: "empty" });
    await read("empty", 404);
    await http.get("/v1/object/empty", { token: owner.token, expect: 404 });
    await remove("empty", 404);
  });

  it("leaves records that an object of the same name with a unique field refuses, because they have equal values", async () => {
    await create({ name: "Badge", fields: [{ name: "Number", type: "number" }] }, 201);
    const body = [1, 1].map((number) => ({ name: "Visitor", number }));
    await http.post("/v1/object/badge", { token: owner.token, body, expect: 201 });
    await remove("badge", 200, "?force=true");
    const again = await create({ name: "Badge", fields: [{ name: "Number", type: "number", unique: true }] }, 409);
    expect(again.body.code).toBe("duplicate_value");
  });

  it("409 with a list of what needs it; with force its records are kept for an object of the same name", async () => {
    await create({ name: "Place" }, 201);
    const fields = [{ name: "Place", type: "json", format: "lookup", schema: "place" }];
    await create({ name: "Visit", fields }, 201);
    await http.post("/v1/object/place", { token: owner.token, body: { name: "Here" }, expect: 201 });
    const { body } = await remove("place", 409);
    expect(body.code).toBe("in_use");
    expect(body.detail).toContain("its records");
    expect(body.detail).toContain('the lookup "place" of "visit"');
    await remove("place", 200, "?force=true");
    await http.get("/v1/object/place", { token: owner.token, expect: 404 });
    const unfit = await create(
      { name: "Place", fields: [{ api_name: "name", name: "Name", type: "string", format: "email" }] },
      409,
    );
    expect(unfit.body.code).toBe("values_do_not_fit");
    await create({ name: "Place" }, 201);
    const again = await http.get("/v1/object/place", { token: owner.token, expect: 200 });
    expect(again.body.map(({ name }: { name: string }) => name)).toEqual(["Here"]);
  });

  it("400 for a standard object, also with force", async () => {
    expect((await remove("lead", 400, "?force=true")).body.code).toBe("standard_object");
  });
});

describe("another organization", () => {
  it("has no access to an object by its id: it is not found, and stays as it is", async () => {
    const { body: own } = await create({ name: "Private", fields: [{ name: "Note", type: "string" }] }, 201);
    const { token } = await registerOrganization();
    const { id } = own;
    const field = { object_id: id, api_name: "note", name: "Theirs" };
    await http.get(`/v1/schema/${id}`, { token, expect: 404 });
    await http.patch("/v1/schema", { token, body: { id, name: "Theirs" }, expect: 404 });
    await http.post("/v1/schema/field", { token, body: { ...field, type: "string" }, expect: 404 });
    await http.patch("/v1/schema/field", { token, body: field, expect: 404 });
    await http.delete(`/v1/schema/${id}/note?force=true`, { token, expect: 404 });
    await http.delete(`/v1/schema/${id}?force=true`, { token, expect: 404 });
    expect((await read("private")).body).toEqual(own);
  });
});
