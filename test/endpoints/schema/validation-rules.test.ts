import { beforeAll, describe, expect, it } from "vitest";
import { addUser, http, registerOrganization, type User } from "../../platform.ts";

let owner: User;
let member: User;

beforeAll(async () => {
  owner = await registerOrganization();
  member = await addUser(owner.organizationId, { permissions: [] });
});

const path = (object: string, rule?: string): string =>
  `/v1/schema/${object}/validation-rule${rule === undefined ? "" : `/${rule}`}`;

const needsDate = {
  name: "Large invoices need a date",
  condition: "record.amount > 1000 && record.due_date == null",
  error_message: "An invoice over 1000 needs a due date.",
  error_field: "due_date",
};

const add = (object: string, rule: object, expected = 200, token = owner.token) =>
  http.post(path(object), { token, body: rule, expect: expected });

const rulesOf = async (object: string) =>
  (await http.get(`/v1/schema/${object}`, { token: owner.token, expect: 200 })).body.validation_rules;

describe("POST", () => {
  it("adds a rule with defaults, and the schema shows it", async () => {
    const { body } = await add("invoice", needsDate);
    const rule = { ...needsDate, api_name: "large_invoices_need_a_date", active: true, on: ["create", "update"] };
    expect(body).toEqual(rule);
    expect(await rulesOf("INVOICE")).toContainEqual(rule);
  });

  it("refuses a second rule of the same api_name with 409", async () => {
    await add("note", { ...needsDate, condition: "record.body == null", error_field: "body", api_name: "twice" });
    const again = { ...needsDate, condition: "record.body != null", error_field: "body", api_name: "twice" };
    expect((await add("note", again, 409)).body.code).toBe("rule_exists");
  });

  it("answers 422 with line, column and a suggestion for a condition that does not fit the object", async () => {
    const bad = { ...needsDate, condition: "record.amuont > 1 &&\n  record.name > 5", error_field: "date" };
    const { detail } = (await add("invoice", bad, 422)).body;
    expect(detail).toMatchObject([
      {
        loc: ["body", "condition"],
        msg: 'Line 1, column 8: The object has no field "amuont". Did you mean "amount"?',
        type: "unknown_field",
        ctx: { line: 1, column: 8, did_you_mean: "amount" },
      },
      { loc: ["body", "error_field"], type: "unknown_field" },
    ]);
  });

  it("answers 422 for a body that is no rule", async () => {
    const { detail } = (await add("invoice", { name: "", on: [], extra: 1 }, 422)).body;
    const places = detail.map(({ loc }: { loc: string[] }) => loc.join("."));
    expect(places).toEqual(expect.arrayContaining(["body.name", "body.on", "body.condition", "body.error_message"]));
  });

  it("answers 422 for a rule over a secret, apart from its presence", async () => {
    const rule = { name: "Secret", error_message: "No." };
    const reads = await add("auth_credential", { ...rule, condition: 'record.value == "x"' }, 422);
    expect(reads.body.detail[0].type).toBe("rule_type");
    await add("auth_credential", { ...rule, condition: "record.value == null" });
  });

  it("answers 401 without a token, 403 to members and 404 for an unknown object", async () => {
    await http.post(path("invoice"), { body: needsDate, expect: 401 });
    expect((await add("invoice", needsDate, 403, member.token)).body.code).toBe("forbidden");
    expect((await add("nothing", needsDate, 404)).body.code).toBe("object_not_found");
  });

  it("replays its answer for the same idempotency key", async () => {
    const rule = { name: "Once", condition: "record.name == 'x'", error_message: "No." };
    const options = { token: owner.token, body: rule, headers: { "idempotency-key": "rule-once" }, expect: 200 };
    const first = await http.post(path("task"), options);
    expect((await http.post(path("task"), options)).body).toEqual(first.body);
    expect(await rulesOf("task")).toHaveLength(1);
  });

  it("keeps the rules that two administrators add at the same time", async () => {
    const names = ["a", "b", "c", "d", "e", "f"];
    const rule = { condition: "record.name == 'x'", error_message: "No." };
    for (const [one, other] of [names.slice(0, 2), names.slice(2, 4), names.slice(4)]) {
      await Promise.all([add("question", { ...rule, name: one }), add("question", { ...rule, name: other })]);
    }
    const kept = (await rulesOf("question")).map((each: { api_name: string }) => each.api_name);
    expect(kept.sort()).toEqual(names);
  });

  it("takes at most 50 rules for an object", async () => {
    const rule = { condition: "record.name == 'x'", error_message: "No." };
    for (let index = 0; index < 50; index += 1) await add("blog_post", { ...rule, name: `r${index}` });
    expect((await add("blog_post", { ...rule, name: "one more" }, 422)).body.detail[0].type).toBe("too_many_rules");
  });
});

describe("PATCH", () => {
  const change = (rule: string, body: object, expected = 200, token = owner.token) =>
    http.patch(path("company", rule), { token, body, expect: expected });

  beforeAll(() => add("company", { name: "R", condition: "record.website == null", error_message: "No." }));

  it("changes what is given and nothing else", async () => {
    const { body } = await change("r", { error_message: "Yes.", error_field: "website" });
    expect(body).toMatchObject({ error_message: "Yes.", error_field: "website", condition: "record.website == null" });
    expect((await change("r", { error_field: null })).body).not.toHaveProperty("error_field");
  });

  it("lets a rule be switched off", async () => {
    const name = `Company ${Date.now()}`;
    await http.post("/v1/object/company", { token: owner.token, body: { name }, expect: 422 });
    expect((await change("r", { active: false })).body.active).toBe(false);
    await http.post("/v1/object/company", { token: owner.token, body: { name }, expect: 201 });
  });

  it("refuses another api_name and a bad condition with 422", async () => {
    expect((await change("r", { api_name: "s" }, 422)).body.detail[0].loc).toEqual(["body", "api_name"]);
    expect((await change("r", { condition: "record." }, 422)).body.detail[0].type).toBe("rule_syntax");
  });

  it("answers 401, 403 and 404", async () => {
    await http.patch(path("company", "r"), { body: {}, expect: 401 });
    await change("r", { active: true }, 403, member.token);
    expect((await change("unknown", { active: true }, 404)).body.code).toBe("rule_not_found");
    const nowhere = await http.patch(path("nothing", "r"), { token: owner.token, body: {}, expect: 404 });
    expect(nowhere.body.code).toBe("object_not_found");
  });
});

describe("DELETE", () => {
  it("removes the rule, and writes are no longer refused", async () => {
    await add("lead", { name: "Never", condition: "record.name != null", error_message: "No." });
    await http.post("/v1/object/lead", { token: owner.token, body: { name: "Ada" }, expect: 422 });
    const { body } = await http.delete(path("lead", "never"), { token: owner.token, expect: 200 });
    expect(body).toEqual({ deleted: "never" });
    await http.post("/v1/object/lead", { token: owner.token, body: { name: "Ada" }, expect: 201 });
  });

  it("answers 401, 403 and 404", async () => {
    await http.delete(path("lead", "r"), { expect: 401 });
    await http.delete(path("lead", "r"), { token: member.token, expect: 403 });
    expect((await http.delete(path("lead", "r"), { token: owner.token, expect: 404 })).body.code).toBe(
      "rule_not_found",
    );
    await http.delete(path("nothing", "r"), { token: owner.token, expect: 404 });
  });
});

describe("dry_run", () => {
  let ids: string[];

  beforeAll(async () => {
    const some = Array.from({ length: 30 }, (_, index) => ({ name: `C${index}`, title: index < 25 ? "Dr" : "Mr" }));
    const { body } = await http.post("/v1/object/contact", { token: owner.token, body: some, expect: 201 });
    ids = body.map(({ id }: { id: string }) => id);
  });

  const rule = { name: "No doctors", condition: 'record.title == "Dr"', error_message: "No." };

  it("counts the stored records that would be refused, names 20 and saves nothing", async () => {
    const { body } = await http.post(`${path("contact")}?dry_run=true`, {
      token: owner.token,
      body: rule,
      expect: 200,
    });
    expect(body).toEqual({ dry_run: true, checked: 30, failing: 25, ids: ids.slice(0, 20), complete: true });
    expect(await rulesOf("contact")).toEqual([]);
  });

  it("tries a changed rule, also one that is not active", async () => {
    await add("contact", { ...rule, active: false });
    const body = { condition: 'record.title == "Mr"' };
    const trial = await http.patch(`${path("contact", "no_doctors")}?dry_run=true`, {
      token: owner.token,
      body,
      expect: 200,
    });
    expect(trial.body).toMatchObject({ checked: 30, failing: 5, ids: ids.slice(25) });
    expect((await rulesOf("contact"))[0].condition).toBe(rule.condition);
  });

  it("answers 422 for a bad condition and 403 to members", async () => {
    const bad = { ...rule, condition: "record.titel == 'x'" };
    await http.post(`${path("contact")}?dry_run=true`, { token: owner.token, body: bad, expect: 422 });
    await http.post(`${path("contact")}?dry_run=maybe`, { token: owner.token, body: rule, expect: 422 });
    await http.post(`${path("contact")}?dry_run=true`, { token: member.token, body: rule, expect: 403 });
  });
});
