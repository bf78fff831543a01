import { beforeAll, describe, expect, it } from "vitest";
import { addUser, databaseClient, http, registerOrganization, type User } from "../../platform.ts";

let owner: User;

beforeAll(async () => {
  owner = await registerOrganization();
});

const addRule = (object: string, rule: object) =>
  http.post(`/v1/schema/${object}/validation-rule`, { token: owner.token, body: rule, expect: 200 });

const create = (object: string, body: unknown, expected: number, token = owner.token) =>
  http.post(`/v1/object/${object}`, { token, body, expect: expected });

const update = (object: string, body: unknown, expected: number, token = owner.token) =>
  http.patch(`/v1/object/${object}`, { token, body, expect: expected });

interface Issue {
  readonly loc: (string | number)[];
  readonly type: string;
  readonly msg: string;
  readonly ctx?: { readonly rule?: string };
}

const issuesOf = ({ body }: { readonly body: { detail: Issue[] } }): [string, string][] =>
  body.detail.map(({ loc, type, ctx }) => [loc.join("."), ctx?.rule ?? type]);

const ofOperation = (on: string[], name: string, condition: string, error_field?: string) => ({
  name,
  on,
  condition,
  error_message: `Refused by ${name}.`,
  ...(error_field === undefined ? {} : { error_field }),
});

describe("on create and update", () => {
  const both = ["create", "update"];

  beforeAll(async () => {
    const large = "record.amount > 1000 && record.due_date == null";
    await addRule("invoice", ofOperation(both, "large", large, "due_date"));
    await addRule("invoice", ofOperation(both, "negative", "record.amount < 0", "amount"));
    await addRule("invoice", ofOperation(["update"], "reopened", "old.status == 'Paid' && record.status != 'Paid'"));
    await addRule("invoice", ofOperation(["create"], "paid", "record.status == 'Paid' && !user.is_admin"));
    await addRule("invoice", { ...ofOperation(both, "off", "record.name != null"), active: false });
  });

  it("a failing rule names its field, its message and itself", async () => {
    const { body } = await create("invoice", { name: "I1", amount: 2_000 }, 422);
    expect(body.detail).toEqual([
      {
        loc: ["body", "due_date"],
        msg: "Refused by large.",
        type: "validation_rule",
        ctx: { rule: "large", reason: "condition" },
      },
    ]);
  });

  it("all failing rules and all other issues of a batch come in one reply, and nothing is written", async () => {
    const reply = await create(
      "invoice",
      [
        { name: "B0", amount: 2_000 },
        { name: "B1", amount: -1, due_date: "yesterday" },
        { name: "B2", amount: "many" },
        "B3",
        { name: "B4", amount: 5 },
        { amount: 3_000 },
      ],
      422,
    );
    expect(issuesOf(reply).sort()).toEqual([
      ["body.0.due_date", "large"],
      ["body.1.amount", "negative"],
      ["body.1.due_date", "date_format"],
      ["body.2.amount", "number_type"],
      ["body.3", "object_type"],
      ["body.5.due_date", "large"],
      ["body.5.name", "missing"],
    ]);
    const { headers } = await http.get("/v1/object/invoice", { token: owner.token, expect: 200 });
    expect(headers.get("x-total-count")).toBe("0");
  });

  it("an update is evaluated with the stored values", async () => {
    const { id } = (await create("invoice", { name: "I2", amount: 2_000, due_date: "2026-05-01" }, 201)).body;
    const gone = await http.patch(`/v1/object/invoice/${id}`, {
      token: owner.token,
      body: { due_date: null },
      expect: 422,
    });
    expect(issuesOf(gone)).toEqual([["body.due_date", "large"]]);
    await update("invoice", { id, due_date: null, amount: 10 }, 200);
    await update("invoice", { id, status: "Paid" }, 200);
    expect(issuesOf(await update("invoice", [{ id, status: "Open" }], 422))).toEqual([["body.0", "reopened"]]);
    const wrong = await update("invoice", { id, status: "Open", amount: -5, due_date: "soon" }, 422);
    expect(issuesOf(wrong).sort()).toEqual([
      ["body", "reopened"],
      ["body.amount", "negative"],
      ["body.due_date", "date_format"],
    ]);
  });

  it("a refused update tells nothing about records that do not exist", async () => {
    const reply = await update("invoice", { id: "unknown", amount: "many" }, 422);
    expect(issuesOf(reply)).toEqual([["body.amount", "number_type"]]);
    expect((await update("invoice", { id: "unknown", amount: -1 }, 404)).body.code).toBe("record_not_found");
  });

  it("of two concurrent updates that break a rule only together, one is refused", async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id } = (await create("invoice", { name: `C${round}`, amount: 10, due_date: "2026-05-01" }, 201)).body;
      const changes = [{ amount: 2_000 }, { due_date: null }];
      const replies = await Promise.all(
        changes.map((body) => http.patch(`/v1/object/invoice/${id}`, { token: owner.token, body })),
      );
      expect(replies.map(({ status }) => status).sort()).toEqual([200, 422]);
    }
  });

  it("the caller counts", async () => {
    const rights = { name: "Invoices", object_permissions: { invoice: { create: true, read: true } } };
    const { id } = (await create("permission", rights, 201)).body;
    const member = await addUser(owner.organizationId, { permissions: [id] });
    expect(issuesOf(await create("invoice", { name: "I3", status: "Paid" }, 422, member.token))).toEqual([
      ["body", "paid"],
    ]);
    await create("invoice", { name: "I3", status: "Paid" }, 201);
  });
});

describe("on delete", () => {
  let ids: string[];

  beforeAll(async () => {
    await addRule("task", ofOperation(["delete"], "open", "record.status != 'Done'", "status"));
    const { body } = await create(
      "task",
      ["Open", "Done", "Open"].map((status, index) => ({ name: `T${index}`, status })),
      201,
    );
    ids = body.map(({ id }: { id: string }) => id);
  });

  it("one record is refused by its path, several by their place in the query", async () => {
    const one = await http.delete(`/v1/object/task/${ids[0]}`, { token: owner.token, expect: 422 });
    expect(issuesOf(one)).toEqual([["path.id", "open"]]);
    const query = ids.map((id) => `ids=${id}`).join("&");
    const many = await http.delete(`/v1/object/task?${query}`, { token: owner.token, expect: 422 });
    expect(issuesOf(many)).toEqual([
      ["query.ids.0", "open"],
      ["query.ids.2", "open"],
    ]);
    await http.get(`/v1/object/task/${ids[1]}`, { token: owner.token, expect: 200 });
  });

  it("records that no rule refuses are deleted", async () => {
    await http.delete(`/v1/object/task/${ids[1]}`, { token: owner.token, expect: 200 });
  });
});

describe("what the caller may not see", () => {
  let member: User;

  beforeAll(async () => {
    const limited = {
      name: "Leads without amounts",
      object_permissions: { lead: { create: true, read: true, update: true } },
      object_field_permissions: { lead: { amount: { read: false, update: false } } },
    };
    const { id } = (await create("permission", limited, 201)).body;
    member = await addUser(owner.organizationId, { permissions: [id] });
    await addRule("lead", ofOperation(["update"], "rich", "record.amount > 100", "amount"));
    const rule = ofOperation(["create", "update"], "broken", "1 / int(record.amount - 7) == 1", "amount");
    await addRule("lead", rule);
  });

  it("a rule refuses by a hidden field without naming the field or its value", async () => {
    const { id } = (await create("lead", { name: "L1", amount: 4_321 }, 201)).body;
    const { body } = await update("lead", { id, source: "Web" }, 422, member.token);
    expect(body.detail).toEqual([
      { loc: ["body"], msg: "Refused by rich.", type: "validation_rule", ctx: { rule: "rich", reason: "condition" } },
    ]);
    expect(JSON.stringify(body)).not.toMatch(/amount|4321/);
  });

  it("the schema does not show a rule over a hidden field", async () => {
    await addRule("lead", ofOperation(["create"], "shown", "record.name == 'x'", "name"));
    const { body } = await http.get("/v1/schema/lead", { token: member.token, expect: 200 });
    expect(body.validation_rules.map((rule: { api_name: string }) => rule.api_name)).toEqual(["shown"]);
  });

  it("an error of a rule refuses the record, without its values", async () => {
    const { body } = await create("lead", { name: "L2", amount: 7 }, 422);
    expect(body.detail).toMatchObject([{ type: "validation_rule", ctx: { rule: "broken", reason: "error" } }]);
    expect(body.detail[0]).not.toHaveProperty("input");
    expect(body.detail[0].msg).toBe('The rule "broken" cannot be evaluated for this record, so the record is refused.');
  });

  it("a secret is evaluated for its presence alone", async () => {
    const held = "record.value != null && record.provider == 'banned'";
    await addRule("auth_credential", ofOperation(["create", "update"], "held", held, "value"));
    const secret = { key: "s3cr3t" };
    const { id } = (await create("auth_credential", { name: "C1", provider: "api", value: secret }, 201)).body;
    const { body } = await update("auth_credential", { id, provider: "banned" }, 422);
    expect(issuesOf({ body })).toEqual([["body.value", "held"]]);
    expect(JSON.stringify(body)).not.toContain("s3cr3t");
  });
});

it("a rule whose field is gone refuses writes until it is changed", async () => {
  const field = { object_id: "company", api_name: "rating", name: "Rating", type: "number" };
  await http.post("/v1/schema/field", { token: owner.token, body: field, expect: 200 });
  await addRule("company", ofOperation(["create"], "rated", "record.rating == null", "rating"));
  await http.delete("/v1/schema/company/rating", { token: owner.token, expect: 409 });
  await http.delete("/v1/schema/company/rating?force=true", { token: owner.token, expect: 200 });
  expect(issuesOf(await create("company", { name: "Acme" }, 422))).toEqual([["body", "rated"]]);
  await http.delete("/v1/schema/company/validation-rule/rated", { token: owner.token, expect: 200 });
  await create("company", { name: "Acme" }, 201);
});

it("writes of the platform itself are not refused by rules", async () => {
  await addRule("user", ofOperation(["create", "update"], "nobody", "record.email != null"));
  const added = await addUser(owner.organizationId, { permissions: [] });
  await http.get("/v1/auth/load", { token: added.token, expect: 200 });
  await update("user", { id: added.id, title: "Dr" }, 422);
});

it("rules survive when the standard objects are completed", async () => {
  const client = await databaseClient();
  const schemas = client.db(owner.organizationId).collection<{ _id: string }>("schemas");
  await schemas.updateOne({ _id: "invoice" }, { $unset: { "properties.due_date": "" } });
  await client.close();
  await http.post("/v1/schema/generate/", { token: owner.token, expect: 200 });
  const { body } = await http.get("/v1/schema/invoice", { token: owner.token, expect: 200 });
  expect(body.properties).toHaveProperty("due_date");
  expect(body.validation_rules).toHaveLength(5);
});
