import { beforeAll, describe, expect, it } from "vitest";
import { addUser, http, registerOrganization, type User } from "../../platform.ts";

let owner: User;
let member: User;
let nobody: User;

beforeAll(async () => {
  owner = await registerOrganization();
  [member, nobody] = await Promise.all([
    addUser(owner.organizationId),
    addUser(owner.organizationId, { permissions: [] }),
  ]);
});

const create = (object: string, body: unknown, options: { token?: string; expect?: number } = {}) =>
  http.post(`/v1/object/${object}`, { token: owner.token, body, ...options });

describe("POST /v1/object/{object}: 201", () => {
  it("gives a record for a record, with its id, system fields, and null without a value", async () => {
    const { body } = await create("lead", { name: "Ada", email: "ada@example.com", amount: 12.5 }, { expect: 201 });
    const me = { id: owner.id, schema: "user", name: expect.any(String) };
    expect(body).toMatchObject({
      name: "Ada",
      email: "ada@example.com",
      amount: 12.5,
      phone: null,
      company: null,
      created_by: me,
      modified_by: me,
      owner: me,
      shared_with: [],
    });
    expect(body.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(body.created_date).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(body.modified_date).toBe(body.created_date);
    expect(body).not.toHaveProperty("_id");
  });

  it("gives an array for an array, in its order", async () => {
    const names = Array.from({ length: 500 }, (_, index) => `Lead ${index}`);
    const { body } = await create(
      "lead",
      names.map((name) => ({ name })),
      { expect: 201 },
    );
    expect(body.map((lead: { name: string }) => lead.name)).toEqual(names);
    expect(new Set(body.map((lead: { id: string }) => lead.id)).size).toBe(500);
    const one = await create("lead", [{ name: "Alone" }], { expect: 201 });
    expect(one.body).toHaveLength(1);
  });

  it("resolves lookups and ignores names that the caller sends", async () => {
    const company = await create("company", { name: "Acme" }, { expect: 201 });
    const reference = { id: company.body.id, schema: "company", name: "Acme" };
    for (const sent of [company.body.id, { id: company.body.id }, { ...reference, name: "Forged" }]) {
      const { body } = await create("contact", { name: "Ada", company: sent }, { expect: 201 });
      expect(body.company).toEqual(reference);
    }
    const task = await create(
      "task",
      { name: "Call", related_to: { id: company.body.id, schema: "Company" } },
      { expect: 201 },
    );
    expect(task.body.related_to).toEqual(reference);
  });

  it("accepts the object's name in any letter case, and fills in defaults", async () => {
    const { body } = await create("Record_Trigger", {
      name: "T",
      file_name: "t.py",
      code: "async def execute(context):\n    return None",
      object_api_name: "lead",
      events: ["after_create"],
    });
    expect(body).toMatchObject({ mode: "sync", order: 0, active: true });
  });

  it("lets a member create what their permission allows, as themselves", async () => {
    const { body } = await create("lead", { name: "Mine" }, { token: member.token, expect: 201 });
    expect(body.owner.id).toBe(member.id);
    const given = await create("lead", {
      name: "Yours",
      owner: member.id,
      shared_with: [{ user: owner.id, access: "read" }],
    });
    expect(given.body.owner).toEqual({ id: member.id, schema: "user", name: "Mia Member" });
    expect(given.body.shared_with).toEqual([{ user: { ...given.body.created_by }, access: "read" }]);
  });

  it("never shows write-only values", async () => {
    const { body } = await create(
      "auth_credential",
      { name: "Mail", provider: "mail", value: { key: "s3cret" } },
      { expect: 201 },
    );
    expect(JSON.stringify(body)).not.toContain("s3cret");
    const listed = await http.get("/v1/object/auth_credential", { token: owner.token, expect: 200 });
    expect(listed.text).not.toContain("s3cret");
  });

  it("gives the same reply again for the same Idempotency-Key", async () => {
    const send = (name: string) =>
      http.post("/v1/object/note", { token: owner.token, body: { name }, headers: { "idempotency-key": "once" } });
    const first = await send("Once");
    const second = await send("Once");
    expect([first.status, second.status, second.body.id]).toEqual([201, 201, first.body.id]);
    expect((await send("Other")).status).toBe(422);
  });
});

describe("POST /v1/object/{object}: 400", () => {
  it.each(["sandbox", "Sandbox", "schemas"])("for /v1/object/%s, whatever the method and the body", async (object) => {
    const path = `/v1/object/${object}`;
    const replies = await Promise.all([
      http.get(path, { token: owner.token }),
      http.post(path, { token: owner.token }),
      http.post(path, { token: owner.token, body: { name: "x" } }),
      http.post(path, { token: owner.token, body: [] }),
      http.patch(path, { token: owner.token, body: {} }),
      http.delete(path, { token: owner.token }),
      http.get(`${path}/x`, { token: nobody.token }),
      http.patch(`${path}/x`, { token: owner.token, body: {} }),
      http.delete(`${path}/x`, { token: owner.token }),
    ]);
    for (const { status, body } of replies) expect([status, body.code]).toEqual([400, "reserved_object"]);
  });

  it.each(["user", "organization"])("for a new %s: there are other ways", async (object) => {
    const { status, body } = await create(object, { name: "x" });
    expect([status, body.code]).toEqual([400, "reserved_object"]);
  });
});

describe("POST /v1/object/{object}: 403", () => {
  it("without the permission", async () => {
    const refused = await create("lead", { name: "x" }, { token: nobody.token, expect: 403 });
    expect(refused.body.code).toBe("forbidden");
    await create("permission", { name: "x" }, { token: member.token, expect: 403 });
    await create("function", { name: "x", file_name: "x.py", code: "" }, { token: member.token, expect: 403 });
  });
});

describe("POST /v1/object/{object}: 404", () => {
  it.each(["nothing", "organization_state", "record_counter", "system.indexes", "__proto__"])(
    "for the unknown object %s",
    async (object) => {
      const { body } = await create(object, { name: "x" }, { expect: 404 });
      expect(body.code).toBe("object_not_found");
    },
  );
});

describe("POST /v1/object/{object}: 409", () => {
  const trigger = (file_name: string) => ({
    name: file_name,
    file_name,
    code: "async def execute(platform, **kwargs):\n    return None",
  });

  it("for a unique value of another record, with the field", async () => {
    await create("function", trigger("taken.py"), { expect: 201 });
    const { body } = await create("function", trigger("taken.py"), { expect: 409 });
    expect(body).toMatchObject({ code: "duplicate_value", detail: expect.stringContaining('"file_name"') });
  });

  it("for one record of a batch, of which nothing is written", async () => {
    await create("function", trigger("middle.py"), { expect: 201 });
    const batch = ["a.py", "middle.py", "b.py"].map(trigger);
    const { body } = await create("function", batch, { expect: 409 });
    expect(body.detail).toContain("index 1");
    await create("function", ["a.py", "b.py"].map(trigger), { expect: 201 });
  });

  it("for the same value twice in one batch", async () => {
    const { body } = await create("function", ["x.py", "y.py", "x.py"].map(trigger), { expect: 409 });
    expect(body.detail).toMatch(/index 0 and 2/);
  });

  it("for all but one of ten concurrent requests with the same unique value", async () => {
    const replies = await Promise.all(Array.from({ length: 10 }, () => create("function", trigger("race.py"))));
    const statuses = replies.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array.from({ length: 9 }, () => 409)]);
  });
});

describe("POST /v1/object/{object}: 422", () => {
  const issuesOf = async (object: string, body: unknown) => {
    const reply = await create(object, body, { expect: 422 });
    return reply.body.detail.map(({ loc, type }: { loc: unknown[]; type: string }) => [loc.join("."), type]);
  };

  it("with all issues of all records, and nothing written", async () => {
    const batch = [
      { name: "Fine, but not alone" },
      { email: "no", phone: "x", amount: "12", website: "?", id: "mine", created_date: "2020-01-01T00:00:00Z" },
      { name: "Lost", company: "nowhere", due_date: "tomorrow" },
      "not a record",
    ];
    expect(await issuesOf("lead", batch)).toEqual([
      ["body.1.email", "email_format"],
      ["body.1.phone", "phone_format"],
      ["body.1.amount", "number_type"],
      ["body.1.website", "extra_forbidden"],
      ["body.1.id", "read_only"],
      ["body.1.created_date", "read_only"],
      ["body.1.name", "missing"],
      ["body.2.due_date", "extra_forbidden"],
      ["body.3", "object_type"],
      ["body.2.company", "reference_not_found"],
    ]);
    const all = await http.get("/v1/object/lead", { token: owner.token, query: { limit: 1000 }, expect: 200 });
    expect(all.text).not.toContain("not alone");
  });

  it("suggests the field that was meant", async () => {
    const { body } = await create("lead", { name: "x", emial: "ada@example.com" }, { expect: 422 });
    expect(body.detail).toMatchObject([{ loc: ["body", "emial"], msg: expect.stringContaining('"email"') }]);
  });

  it("with the same issue for a lookup to a missing record, to another object's and to an unreadable one", async () => {
    const company = (await create("company", { name: "Acme" }, { expect: 201 })).body.id;
    const app = (await create("app", { name: "App" }, { expect: 201 })).body.id;
    expect(await issuesOf("lead", { name: "x", company: "nowhere" })).toEqual([
      ["body.company", "reference_not_found"],
    ]);
    expect(await issuesOf("invoice", { name: "x", contact: company })).toEqual([
      ["body.contact", "reference_not_found"],
    ]);
    const related = { name: "x", related_to: { id: app, schema: "app" } };
    await create("note", related, { expect: 201 });
    const refused = await create("note", related, { token: member.token, expect: 422 });
    expect(refused.body.detail[0].type).toBe("reference_not_found");
  });

  it("for operators, dots and prototypes as keys in JSON", async () => {
    for (const value of [{ $where: "1" }, { "a.b": 1 }, { nested: [{ $gt: "" }] }]) {
      const issues = await issuesOf("app_metadata", { name: "x", value });
      expect(issues).toMatchObject([[expect.stringMatching(/^body\.value\./), "key"]]);
    }
  });

  it("for a missing body, an empty batch and one that is too large", async () => {
    expect((await http.post("/v1/object/lead", { token: owner.token })).status).toBe(422);
    await create("lead", [], { expect: 422 });
    await create(
      "lead",
      Array.from({ length: 501 }, () => ({ name: "x" })),
      { expect: 422 },
    );
  });

  it("for malformed permissions", async () => {
    const issues = await issuesOf("permission", {
      name: "x",
      object_permissions: { lead: { read: "yes", fly: true } },
    });
    expect(issues.map(([loc]: [string]) => loc)).toContain("body.object_permissions.lead.read");
  });
});
