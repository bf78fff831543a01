import { beforeAll, describe, expect, it } from "vitest";
import { addUser, databaseClient, http, registerOrganization, type User } from "../../platform.ts";

let owner: User;

beforeAll(async () => {
  owner = await registerOrganization();
});

const history = (object: string, id: string, { token = owner.token, expected = 200, query = {} } = {}) =>
  http.get(`/v1/object/${object}/${id}/history`, { token, query, expect: expected });

describe("GET /v1/object/{object}/{id}/history", () => {
  it("tells who changed what and when, newest first, and nothing of a write that changed nothing", async () => {
    const created = await http.post("/v1/object/lead", {
      token: owner.token,
      body: { name: "Ada", amount: 1 },
      expect: 201,
    });
    const { id } = created.body;
    const change = (body: object) => http.patch(`/v1/object/lead/${id}`, { token: owner.token, body, expect: 200 });
    const changed = await change({ amount: 2, status: "New" });
    await change({ amount: 2 });
    const { body } = await history("lead", id);
    expect(body).toEqual([
      {
        at: expect.stringMatching(/Z$/),
        by: { id: owner.id, schema: "user", name: expect.any(String) },
        action: "updated",
        changes: { amount: { from: 1, to: 2 }, status: { from: null, to: "New" } },
        request_id: changed.headers.get("x-request-id"),
      },
      expect.objectContaining({
        action: "created",
        changes: { name: { from: null, to: "Ada" }, amount: { from: null, to: 1 } },
      }),
    ]);
    expect((await history("lead", id, { query: { limit: "1", offset: "1" } })).body).toHaveLength(1);
  });

  it("has an entry for each record of a batch, also when it is deleted, which a query finds", async () => {
    const body = [{ name: "One" }, { name: "Two" }];
    const { body: made } = await http.post("/v1/object/task", { token: owner.token, body, expect: 201 });
    const ids = made.map(({ id }: { id: string }) => id);
    await http.delete(`/v1/object/task?ids=${ids.join("&ids=")}`, { token: owner.token, expect: 200 });
    await history("task", ids[0], { expected: 404 });
    const q = "SELECT record_id, action FROM audit_entry WHERE object = 'task' ORDER BY at";
    const found = await http.get("/v1/query", { token: owner.token, query: { q }, expect: 200 });
    const entries = found.body.records.map(
      (one: { record_id: string; action: string }) => `${one.action} ${one.record_id}`,
    );
    const expected = ids.flatMap((id: string) => [`created ${id}`, `deleted ${id}`]);
    expect(entries.sort()).toEqual(expected.sort());
  });

  it("leaves out the fields, and the names in references, that the caller may not read", async () => {
    const { body: company } = await http.post("/v1/object/company", {
      token: owner.token,
      body: { name: "Secret Ltd" },
      expect: 201,
    });
    const lead = { name: "Bob", amount: 5, company: company.id };
    const { body: made } = await http.post("/v1/object/lead", { token: owner.token, body: lead, expect: 201 });
    const rights = {
      name: "See leads",
      object_permissions: { lead: { read: true } },
      object_field_permissions: { lead: { amount: { read: false } } },
    };
    const permission = await http.post("/v1/object/permission", { token: owner.token, body: rights, expect: 201 });
    const member = await addUser(owner.organizationId, { permissions: [permission.body.id] });
    const { body } = await history("lead", made.id, { token: member.token });
    expect(body[0].changes).toEqual({
      name: { from: null, to: "Bob" },
      company: { from: null, to: { id: company.id, schema: "company" } },
    });
    await history("company", company.id, { token: member.token, expected: 403 });
  });

  it("never shows sensitive values", async () => {
    const body = { name: "Key", api_name: "key", value: { secret: "swordfish" } };
    const { body: made } = await http.post("/v1/object/app_metadata", { token: owner.token, body, expect: 201 });
    const reply = await history("app_metadata", made.id);
    expect(reply.body[0].changes.value).toEqual({ hidden: true });
    expect(JSON.stringify(reply.body)).not.toContain("swordfish");
  });

  it("shows no values of a field that has become sensitive since they were written", async () => {
    const { body: made } = await http.post("/v1/object/lead", {
      token: owner.token,
      body: { name: "Late", phone: "+49 30 5550199" },
      expect: 201,
    });
    const change = { object_id: "lead", api_name: "phone", sensitive: true };
    await http.patch("/v1/schema/field", { token: owner.token, body: change, expect: 200 });
    const { body } = await history("lead", made.id);
    expect(body[0].changes.phone).toEqual({ hidden: true });
  });

  it("404 for a record of another organization, and 400 for objects with routes of their own", async () => {
    const other = await registerOrganization();
    const { body } = await http.post("/v1/object/lead", { token: other.token, body: { name: "Theirs" }, expect: 201 });
    await history("lead", body.id, { expected: 404 });
    await history("sandbox", body.id, { expected: 400 });
  });

  it("entries are kept as long as the organization's setting says, and at least 90 days", async () => {
    const set = (days: number, expected: number) =>
      http.patch(`/v1/object/organization/${owner.organizationId}`, {
        token: owner.token,
        body: { settings: { audit_retention_days: days } },
        expect: expected,
      });
    await set(30, 422);
    await set(365, 200);
    const { body } = await http.post("/v1/object/lead", { token: owner.token, body: { name: "Later" }, expect: 201 });
    const mongo = await databaseClient();
    const entries = mongo.db(owner.organizationId).collection("audit_entry");
    const entry = await entries.findOne({ record_id: body.id });
    const indexes = await entries.indexes();
    await mongo.close();
    expect((entry?.expires_at.getTime() - entry?.at.getTime()) / 86_400_000).toBe(365);
    expect(indexes).toContainEqual(expect.objectContaining({ key: { expires_at: 1 }, expireAfterSeconds: 0 }));
  });
});
