import { setTimeout } from "node:timers/promises";
import fc from "fast-check";
import type { Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { addUser, databaseClient, http, registerOrganization, type User } from "../../platform.ts";
import { sandboxSteps } from "../../setup/sandboxes.ts";
import { editMembers, edits, MASK, secretNames, tree } from "../../setup/secret-values.ts";
import { letIn, registerApp } from "../identity/apps.ts";

const steps = sandboxSteps(http);

let mongo: MongoClient;
let owner: User;
let dev: string;

beforeAll(async () => {
  mongo = await databaseClient();
});

afterAll(() => mongo.close());

const post = async (token: string, path: string, body: unknown) =>
  (await http.post(path, { token, body, expect: 201 })).body;
const patch = async (token: string, path: string, body: unknown) =>
  (await http.patch(path, { token, body, expect: 200 })).body;
const addField = (token: string, object_id: string, body: object) =>
  http.post("/v1/schema/field", { token, body: { object_id, ...body }, expect: 200 });
const push = (target: string, expected: number, app = "crm") =>
  http.post(`/v1/sandbox/dev/app/${app}/push/${target}`, { token: owner.token, expect: expected });
const list = async (token: string, object: string): Promise<Document[]> =>
  (await http.get(`/v1/object/${object}`, { token, expect: 200 })).body;
const named = async (token: string, object: string, name: string): Promise<Document> =>
  (await list(token, object)).find((record) => record.name === name) ?? {};
const stored = (organization: string, object: string) =>
  mongo.db(organization).collection<Document & { _id: string }>(object);

/** A sandbox and a token for it. */
const sandboxNamed = async (name: string): Promise<{ id: string; token: string }> => {
  const { id } = await steps.create(owner.token, name);
  return { id, token: await steps.enter(owner.token, id) };
};

/** An app with something of every kind. */
const makeApp = async (token: string): Promise<Document> => {
  const app = await post(token, "/v1/object/app", { name: "CRM", api_name: "crm", settings: { theme: "dark" } });
  const ofApp = { app: app.id };
  await post(token, "/v1/object/value_list", { name: "Stages", values: ["Open", "Won"] });
  await post(token, "/v1/schema", {
    name: "Deal",
    app: "crm",
    fields: [
      { name: "Amount", type: "number" },
      { name: "Stage", type: "string", format: "enum", global_list_name: "Stages", restricted: true },
      { name: "Customer", type: "json", format: "lookup", schema: "company" },
      { name: "Code", type: "string", unique: true },
    ],
  });
  await http.post("/v1/schema/deal/validation-rule", {
    token,
    body: { name: "Positive", condition: "record.amount < 0", error_message: "An amount is positive." },
    expect: 200,
  });
  await addField(token, "company", { name: "Tier", type: "string", app: app.id });
  await post(token, "/v1/object/app_page", { name: "Deals", layout: { columns: ["amount"] }, order: 1, ...ofApp });
  await post(token, "/v1/object/app_metadata", { name: "Colours", api_name: "colours", value: ["red"], ...ofApp });
  const nodes = [
    { id: "start", type: "trigger", config: { kind: "manual" } },
    { id: "end", type: "return" },
  ];
  const edges = [{ from: "start", to: "end" }];
  await post(token, "/v1/object/automation", { name: "Greet", nodes, edges, ...ofApp });
  await post(token, "/v1/object/function", {
    name: "Score",
    file_name: "score.py",
    code: "async def execute(platform, **kwargs):\n    return 1\n",
    ...ofApp,
  });
  await post(token, "/v1/object/record_trigger", {
    name: "On deal",
    file_name: "on_deal.py",
    code: "async def execute(context):\n    pass\n",
    object_api_name: "deal",
    events: ["before_delete"],
    ...ofApp,
  });
  const template = await post(token, "/v1/object/template", { name: "Won", subject: "Won!", ...ofApp });
  await post(token, "/v1/object/notification_setting", {
    name: "Won",
    api_name: "won",
    template: template.id,
    ...ofApp,
  });
  return app;
};

const CREATED = { created: 1, updated: 0, unchanged: 0 };
const UPDATED = { created: 0, updated: 1, unchanged: 0 };
const UNCHANGED = { created: 0, updated: 0, unchanged: 1 };
const everyKind = (counts: object) =>
  Object.fromEntries(
    [
      "app app_metadata app_page automation function notification_setting record_trigger template value_list".split(
        " ",
      ),
    ].flatMap((kinds) => kinds.map((kind) => [kind, counts])),
  );

describe("a push of an app", () => {
  let sandbox: { id: string; token: string };
  beforeEach(async () => {
    owner = await registerOrganization("Acme");
    sandbox = await sandboxNamed("dev");
    dev = sandbox.token;
  });

  test("brings everything that belongs to the app to production, once", async () => {
    const company = await post(owner.token, "/v1/object/company", { name: "Customer" });
    const app = await makeApp(dev);
    await post(dev, "/v1/object/deal", { name: "Only in the sandbox", amount: 1 });
    await post(dev, "/v1/object/app_page", { name: "Of no app" });

    const first = await push(owner.organizationId, 200);
    expect(first.body).toEqual({
      sandbox_name: "dev",
      app: { id: app.id, name: "CRM" },
      target: owner.organizationId,
      kinds: { schemas: { created: 1, updated: 1, unchanged: 0 }, ...everyKind(CREATED) },
      left_out: [],
    });
    expect(await named(owner.token, "app", "CRM")).toMatchObject({ id: app.id, settings: { theme: "dark" } });
    expect(await named(owner.token, "app_page", "Deals")).toMatchObject({
      app: { id: app.id, schema: "app", name: "CRM" },
      created_by: { id: owner.id },
      layout: { columns: ["amount"] },
    });
    expect(await named(owner.token, "notification_setting", "Won")).toMatchObject({ template: { name: "Won" } });
    expect(await list(owner.token, "app_page")).toHaveLength(1);
    expect(await list(owner.token, "deal")).toEqual([]);
    expect(await named(owner.token, "company", "Customer")).toMatchObject({ id: company.id, tier: null });
    const refused = { name: "Bad", amount: -1, stage: "Lost" };
    const { body } = await http.post("/v1/object/deal", { token: owner.token, body: refused, expect: 422 });
    expect(body.detail.map(({ loc }: { loc: unknown }) => loc)).toEqual([["body", "stage"], ["body"]]);
    await post(owner.token, "/v1/object/deal", { name: "Good", amount: 1, stage: "Won", code: "a" });
    await http.post("/v1/object/deal", { token: owner.token, body: { name: "Twice", code: "a" }, expect: 409 });

    const { body: diff } = await http.get("/v1/sandbox/dev/diff", { token: owner.token, expect: 200 });
    expect(diff.kinds).toEqual({
      app_page: { added: [{ id: expect.any(String), name: "Of no app" }], changed: [], removed: [], truncated: false },
    });

    const second = await push(owner.organizationId, 200, app.id);
    expect(second.body.kinds).toEqual({
      schemas: { created: 0, updated: 0, unchanged: 2 },
      ...everyKind(UNCHANGED),
    });
    const trail = await stored(owner.organizationId, "audit_entry")
      .find({ action: { $in: ["sandbox_app_pushed", "created"] }, object: { $nin: ["deal", "company"] } })
      .toArray();
    const pushes = trail.filter(({ action }) => action === "sandbox_app_pushed");
    expect(pushes.map(({ details, by }) => [details.sandbox_name, details.app_id, by.id])).toEqual([
      ["dev", app.id, owner.id],
      ["dev", app.id, owner.id],
    ]);
    const created = trail.filter(
      ({ action, request_id }) => action === "created" && request_id === pushes[0]?.request_id,
    );
    expect(created.map(({ object }) => object).sort()).toEqual([...Object.keys(everyKind({})), "schemas"].sort());
  });

  test("brings changes, keeps what production has besides, and deletes nothing", async () => {
    const app = await makeApp(dev);
    await push(owner.organizationId, 200);
    await addField(owner.token, "deal", { name: "Only in production", type: "string" });
    const record = await post(owner.token, "/v1/object/deal", { name: "A", amount: 3, only_in_production: "kept" });
    await post(owner.token, "/v1/object/app_page", { name: "Production's own" });
    const page = await named(dev, "app_page", "Deals");
    await patch(dev, `/v1/object/app_page/${page.id}`, { layout: { columns: ["stage"] }, order: null });
    await patch(dev, `/v1/object/app/${app.id}`, { name: "Sales" });
    await http.patch("/v1/schema/field", {
      token: dev,
      body: { object_id: "deal", api_name: "amount", name: "Value", required: true },
      expect: 200,
    });
    const lists = await named(dev, "value_list", "Stages");
    await patch(dev, `/v1/object/value_list/${lists.id}`, { values: ["Open", "Won", "Lost"] });
    const greet = await named(dev, "automation", "Greet");
    await http.delete(`/v1/object/automation/${greet.id}`, { token: dev, expect: 200 });

    const { body } = await push(owner.organizationId, 200);
    expect(body.kinds).toMatchObject({
      schemas: { created: 0, updated: 1, unchanged: 1 },
      app: UPDATED,
      app_page: UPDATED,
      value_list: UPDATED,
      function: UNCHANGED,
    });
    expect(body.kinds.automation).toBeUndefined();
    expect(await named(owner.token, "automation", "Greet")).toMatchObject({ id: greet.id });
    expect(await named(owner.token, "app_page", "Deals")).toMatchObject({
      layout: { columns: ["stage"] },
      order: null,
    });
    expect(await list(owner.token, "app_page")).toHaveLength(2);
    const { body: deal } = await http.get("/v1/schema/deal", { token: owner.token, expect: 200 });
    expect(deal.properties.amount).toMatchObject({ name: "Value", required: true });
    expect(deal.properties.only_in_production).toBeDefined();
    const { body: after } = await http.get(`/v1/object/deal/${record.id}`, { token: owner.token, expect: 200 });
    expect(after).toMatchObject({ amount: 3, only_in_production: "kept", modified_date: record.modified_date });
    await post(owner.token, "/v1/object/deal", { name: "B", amount: 1, stage: "Lost" });
  });

  test("goes to another sandbox, also one that the caller has left", async () => {
    const app = await makeApp(dev);
    const other = await sandboxNamed("other");
    await http.delete(`/v1/sandbox/other/users/${owner.id}`, { token: owner.token, expect: 204 });
    const { body } = await push("other", 200);
    expect(body).toMatchObject({ target: other.id, kinds: { app: CREATED, schemas: { created: 1, updated: 1 } } });
    expect((await push("other", 200)).body.kinds.app).toEqual(UNCHANGED);
    const page = await stored(other.id, "app_page").findOne({ name: "Deals" });
    expect(page).toMatchObject({ app: { id: app.id }, created_by: { id: owner.id } });
    expect(await list(owner.token, "app")).toEqual([]);
    const trail = stored(owner.organizationId, "audit_entry");
    expect(await trail.countDocuments({ action: "sandbox_app_pushed", "details.target": other.id })).toBe(2);
  });

  test("with an Idempotency-Key is done once and answered alike", async () => {
    await makeApp(dev);
    const path = `/v1/sandbox/dev/app/crm/push/${owner.organizationId}`;
    const request = { token: owner.token, headers: { "idempotency-key": "push-1" }, expect: 200 };
    const first = await http.post(path, request);
    expect(first.body.kinds.app).toEqual(CREATED);
    expect((await http.post(path, request)).body).toEqual(first.body);
    const trail = stored(owner.organizationId, "audit_entry");
    expect(await trail.countDocuments({ action: "sandbox_app_pushed" })).toBe(1);
  });

  test("at the same time as another one leaves what one of them would", async () => {
    await makeApp(dev);
    const path = `/v1/sandbox/dev/app/crm/push/${owner.organizationId}`;
    const answers = await Promise.all([1, 2, 3].map(() => http.post(path, { token: owner.token })));
    const statuses = answers.map(({ status }) => status);
    expect(statuses).toContain(200);
    expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
    expect(await list(owner.token, "app_page")).toHaveLength(1);
    expect((await push(owner.organizationId, 200)).body.kinds).toMatchObject(everyKind(UNCHANGED));
  });
});

describe("secrets of production", () => {
  test("stay as they are when an app is pushed with their masks", async () => {
    owner = await registerOrganization("Acme");
    await addField(owner.token, "app", { name: "Client secret", type: "string" });
    await addField(owner.token, "app", { name: "Token number", type: "number" });
    await addField(owner.token, "app", { name: "Licence", type: "string", encrypted: true });
    await addField(owner.token, "app_page", { name: "Greeting", type: "string", sensitive: true, default: "Hello" });
    const app = await post(owner.token, "/v1/object/app", {
      name: "CRM",
      api_name: "crm",
      client_secret: "s1",
      token_number: 42,
      licence: "s2",
      settings: { smtp: { password: "s3", host: "old.example" }, theme: "dark" },
    });
    const ofApp = { app: app.id };
    await post(owner.token, "/v1/object/app_metadata", [
      { name: "Stripe", api_name: "stripe_api_key", value: "s4", ...ofApp },
      { name: "Hook", api_name: "hook", value: { url: "https://a.example", token: "s5" }, ...ofApp },
    ]);
    const assign = (id: string, password: string) => ({ id, type: "assign", config: { values: { password } } });
    const start = { id: "start", type: "trigger", config: { kind: "manual" } };
    const end = { id: "end", type: "return", config: {} };
    const nodes = [start, assign("a", "s6"), assign("b", "s7"), end];
    const edgesBy = (...ids: string[]) => ids.slice(1).map((to, index) => ({ from: ids[index], to }));
    const edges = edgesBy("start", "a", "b", "end");
    await post(owner.token, "/v1/object/automation", { name: "Flow", nodes, edges, ...ofApp });
    const { token } = await sandboxNamed("dev");
    expect(await named(token, "app", "CRM")).toMatchObject({ client_secret: MASK, token_number: null, licence: null });
    expect(await named(token, "app_metadata", "Stripe")).toMatchObject({ value: MASK });
    await patch(token, `/v1/object/app/${app.id}`, {
      description: "Changed",
      settings: { smtp: { password: MASK, host: "new.example" }, theme: "light", fresh: { api_key: MASK } },
    });
    const hook = await named(token, "app_metadata", "Hook");
    await patch(token, `/v1/object/app_metadata/${hook.id}`, { value: { url: "https://b.example", token: "new" } });
    const flow = await named(token, "automation", "Flow");
    await patch(token, `/v1/object/automation/${flow.id}`, {
      nodes: [assign("fresh", "s8"), { ...assign("b", MASK), name: "B" }, assign("a", MASK), start, end],
      edges: edgesBy("start", "fresh", "b", "a", "end"),
    });
    await http.patch("/v1/schema/field", {
      token,
      body: { object_id: "app_page", api_name: "greeting", app: "crm", help_text: "Shown first." },
      expect: 200,
    });

    const { body } = await push(owner.organizationId, 200);
    expect(body.left_out).toEqual([{ kind: "app", id: app.id, path: ["settings", "fresh", "api_key"] }]);
    expect(await named(owner.token, "app", "CRM")).toMatchObject({
      description: "Changed",
      client_secret: "s1",
      token_number: 42,
      licence: "s2",
      settings: { smtp: { password: "s3", host: "new.example" }, theme: "light", fresh: {} },
    });
    expect(await named(owner.token, "app_metadata", "Stripe")).toMatchObject({ value: "s4" });
    expect(await named(owner.token, "app_metadata", "Hook")).toMatchObject({
      value: { url: "https://b.example", token: "new" },
    });
    expect((await named(owner.token, "automation", "Flow")).nodes).toEqual([
      assign("fresh", "s8"),
      { ...assign("b", "s7"), name: "B" },
      assign("a", "s6"),
      start,
      end,
    ]);
    const { body: page } = await http.get("/v1/schema/app_page", { token: owner.token, expect: 200 });
    expect(page.properties.greeting).toMatchObject({ help_text: "Shown first.", default: "Hello", sensitive: true });
    for (const kind of ["app", "app_metadata", "automation"]) {
      expect(JSON.stringify(await stored(owner.organizationId, kind).find().toArray())).not.toContain(MASK);
    }
    expect((await push(owner.organizationId, 200)).body.kinds.app).toEqual(UNCHANGED);
  });

  test("that are changed during a push are not lost", async () => {
    owner = await registerOrganization("Acme");
    const app = await post(owner.token, "/v1/object/app", { name: "CRM", api_name: "crm", settings: { token: "0" } });
    const { token } = await sandboxNamed("dev");
    let last = 0;
    for (const round of [1, 2, 3, 4]) {
      await patch(token, `/v1/object/app/${app.id}`, { settings: { token: MASK, round } });
      let done = false;
      const pushing = http
        .post(`/v1/sandbox/dev/app/crm/push/${owner.organizationId}`, { token: owner.token })
        .finally(() => {
          done = true;
        });
      while (!done) {
        last += 1;
        await patch(owner.token, `/v1/object/app/${app.id}`, { settings: { token: `${last}` } });
        await setTimeout(20);
        expect((await named(owner.token, "app", "CRM")).settings.token).toBe(`${last}`);
      }
      expect([200, 409]).toContain((await pushing).status);
    }
  });
});

describe("random values with secrets", () => {
  test("have every change of the sandbox and production's secrets after a push", async () => {
    owner = await registerOrganization("Acme");
    const app = await post(owner.token, "/v1/object/app", { name: "CRM", api_name: "crm" });
    const samples = fc.sample(fc.tuple(tree, edits), { numRuns: 150, seed: 20_261_122 });
    const records = samples.map(([layout], index) => ({ name: `Page ${index}`, app: app.id, layout }));
    const pages: Document[] = await post(owner.token, "/v1/object/app_page", records);
    const { token } = await sandboxNamed("dev");
    const copies = new Map((await list(token, "app_page?limit=1000")).map(({ id, layout }) => [id, layout]));
    const secrets = samples.filter(([layout]) => secretNames.some((name) => JSON.stringify(layout).includes(name)));
    expect(secrets.length).toBeGreaterThan(50);
    const changed = pages.map(({ id, layout }, index) => {
      const [copy, wanted] = [copies.get(id), layout];
      for (const edit of samples[index]?.[1] ?? []) {
        editMembers(copy, structuredClone(edit));
        editMembers(wanted, structuredClone(edit));
      }
      return { id, copy, wanted };
    });
    const patches = changed.map(({ id, copy }) => ({ id, layout: copy }));
    await http.patch("/v1/object/app_page", { token, body: patches, expect: 200 });

    const { body } = await push(owner.organizationId, 200);
    expect(body.left_out).toEqual([]);
    const after = new Map((await list(owner.token, "app_page?limit=1000")).map(({ id, layout }) => [id, layout]));
    for (const { id, wanted } of changed) expect(after.get(id)).toEqual(wanted);
    expect(JSON.stringify([...after.values()])).not.toContain(MASK);
  });
});

describe("a push that cannot be applied changes nothing", () => {
  let before: string;

  const contents = async (): Promise<string> => {
    const kinds = ["schemas", "app", "app_page", "function", "value_list", "template", "deal", "record_trigger"];
    const all = await Promise.all(
      kinds.map((kind) => stored(owner.organizationId, kind).find().sort({ _id: 1 }).toArray()),
    );
    return JSON.stringify(all);
  };

  beforeEach(async () => {
    owner = await registerOrganization("Acme");
    dev = (await sandboxNamed("dev")).token;
  });

  const refused = async (status: number) => {
    before = await contents();
    const { body } = await push(owner.organizationId, status);
    expect(await contents()).toBe(before);
    return body;
  };

  test("if another record of production has the same unique value", async () => {
    await makeApp(dev);
    const other = await post(owner.token, "/v1/object/function", {
      name: "Other",
      file_name: "score.py",
      code: "async def execute(platform, **kwargs):\n    return 2\n",
    });
    const { code, detail } = await refused(409);
    expect(code).toBe("conflict");
    expect(detail).toContain(`another "function" record (id ${other.id}) with the same "file_name"`);
  });

  test("if production has another object of the same name", async () => {
    await makeApp(dev);
    const other = await post(owner.token, "/v1/schema", { name: "Deal" });
    const { code, detail } = await refused(409);
    expect([code, detail]).toEqual(["conflict", expect.stringContaining(`another object "deal" (id ${other.id})`)]);
  });

  test("if production's records hold values that do not fit a changed field", async () => {
    await makeApp(dev);
    await push(owner.organizationId, 200);
    const deal = await post(owner.token, "/v1/object/deal", { name: "A", code: "not a number" });
    await http.patch("/v1/schema/field", {
      token: dev,
      body: { object_id: "deal", api_name: "code", type: "number" },
      expect: 200,
    });
    const page = await named(dev, "app_page", "Deals");
    await patch(dev, `/v1/object/app_page/${page.id}`, { order: 7 });
    const { code, detail } = await refused(409);
    expect(code).toBe("values_do_not_fit");
    expect(detail).toContain(deal.id);
  });

  test("if a record refers to one that production does not have, and names it", async () => {
    const app = await makeApp(dev);
    await addField(dev, "app_page", { name: "Main", type: "json", format: "lookup", schema: "company", app: "crm" });
    const company = await post(dev, "/v1/object/company", { name: "Only here" });
    const page = await post(dev, "/v1/object/app_page", { name: "Second", app: app.id, main: company.id });
    const { detail } = await refused(422);
    expect(detail).toEqual([
      {
        loc: ["body", "app_page", page.id, "main"],
        msg: 'There is no "company" record with this id.',
        type: "reference_not_found",
        input: company.id,
      },
    ]);
  });

  test("if a record has a value in a field that is not pushed", async () => {
    const app = await makeApp(dev);
    await addField(dev, "app_page", { name: "Extra", type: "string" });
    await post(dev, "/v1/object/app_page", { name: "Second", app: app.id, extra: "lost" });
    const { detail } = await refused(422);
    expect(detail).toMatchObject([{ loc: ["body", "app_page", "extra"], type: "unknown_field" }]);
  });

  test("if a lookup points to an object that production does not have", async () => {
    await makeApp(dev);
    await post(dev, "/v1/schema", { name: "Elsewhere" });
    await addField(dev, "deal", { name: "To", type: "json", format: "lookup", schema: "elsewhere" });
    const { detail } = await refused(422);
    expect(detail).toMatchObject([
      { loc: ["body", "schemas", "deal", "fields", "to", "schema"], type: "unknown_object" },
    ]);
  });

  test("if a rule of production refuses a change of a record, also of what was written before it", async () => {
    await makeApp(dev);
    await push(owner.organizationId, 200);
    await http.post("/v1/schema/app_page/validation-rule", {
      token: owner.token,
      body: { name: "Few", on: ["update"], condition: "record.order > 5", error_message: "At most five pages." },
      expect: 200,
    });
    await addField(dev, "deal", { name: "Fresh", type: "string" });
    await post(dev, "/v1/schema", { name: "New object", app: "crm" });
    const stages = await named(dev, "value_list", "Stages");
    await patch(dev, `/v1/object/value_list/${stages.id}`, { values: ["Open"] });
    const page = await named(dev, "app_page", "Deals");
    await patch(dev, `/v1/object/app_page/${page.id}`, { order: 6 });
    const { detail } = await refused(422);
    expect(detail).toMatchObject([{ loc: ["body", "app_page", page.id], msg: "At most five pages." }]);
    await http.get("/v1/schema/new_object", { token: owner.token, expect: 404 });
  });

  test("if a rule of production refuses a new record", async () => {
    await makeApp(dev);
    await http.post("/v1/schema/app_page/validation-rule", {
      token: owner.token,
      body: { name: "Ordered", condition: "record.order < 5", error_message: "Pages begin at 5." },
      expect: 200,
    });
    const { detail } = await refused(422);
    expect(detail).toMatchObject([{ msg: "Pages begin at 5.", type: "validation_rule" }]);
  });
});

describe("a push is refused", () => {
  beforeAll(async () => {
    owner = await registerOrganization("Acme");
    dev = (await sandboxNamed("dev")).token;
    await makeApp(dev);
  });

  const codeOf = async (path: string, status: number, token = owner.token) =>
    (await http.post(`/v1/sandbox/${path}`, { token, expect: status })).body.code;

  test("for members, and from inside a sandbox", async () => {
    const member = await addUser(owner.organizationId);
    const path = `dev/app/crm/push/${owner.organizationId}`;
    expect(await codeOf(path, 403, member.token)).toBe("forbidden");
    expect(await codeOf(path, 403, dev)).toBe("forbidden");
  });

  test("for apps that do not see sensitive values", async () => {
    const appTokenWith = async (scopes: string[]) =>
      (await letIn(owner.token, await registerApp(owner.token, { scopes }))).access_token;
    const path = `dev/app/crm/push/${owner.organizationId}`;
    expect(await codeOf(path, 403, await appTokenWith(["read", "write", "admin"]))).toBe("forbidden");
    await codeOf(path, 200, await appTokenWith(["admin", "sensitive:read"]));
  });

  test("while the sandbox or the target cannot be used", async () => {
    await steps.create(owner.token, "busy");
    const registry = mongo.db("base").collection<Document & { _id: string }>("organization");
    const entry = { parent_organization_id: owner.organizationId, "sandbox.name": "busy" };
    await registry.updateOne(entry, { $set: { "sandbox.status": "failed" } });
    expect(await codeOf("dev/app/crm/push/busy", 409)).toBe("sandbox_busy");
    expect(await codeOf(`busy/app/crm/push/${owner.organizationId}`, 409)).toBe("sandbox_busy");
    await registry.updateOne(entry, { $set: { "sandbox.status": "active" } });
  });

  test("for sandboxes and organizations that are not one's own", async () => {
    const other = await registerOrganization("Other");
    await steps.create(other.token, "theirs");
    expect(await codeOf(`theirs/app/crm/push/${owner.organizationId}`, 404)).toBe("sandbox_not_found");
    expect(await codeOf("dev/app/crm/push/theirs", 404)).toBe("sandbox_not_found");
    expect(await codeOf(`dev/app/crm/push/${other.organizationId}`, 404)).toBe("sandbox_not_found");
    expect(await codeOf(`dev/app/crm/push/${owner.organizationId}`, 404, other.token)).toBe("sandbox_not_found");
  });

  test("to the sandbox itself, for an unknown app and for an ambiguous one", async () => {
    await codeOf("dev/app/crm/push/dev", 422);
    expect(await codeOf(`dev/app/unknown/push/${owner.organizationId}`, 404)).toBe("record_not_found");
    const [one, two] = await post(dev, "/v1/object/app", [{ name: "Twin" }, { name: "Twin" }]);
    const { body } = await http.post(`/v1/sandbox/dev/app/Twin/push/${owner.organizationId}`, {
      token: owner.token,
      expect: 409,
    });
    expect(body.detail).toContain(one.id);
    expect(body.detail).toContain(two.id);
  });

  test("for an app with too many records", async () => {
    const { id } = await post(dev, "/v1/object/app", { name: "Large", api_name: "large" });
    for (let from = 0; from < 2_000; from += 500) {
      const pages = Array.from({ length: 500 }, (_, index) => ({ name: `Page ${from + index}`, app: id }));
      await post(dev, "/v1/object/app_page", pages);
    }
    const { body } = await http.post(`/v1/sandbox/dev/app/large/push/${owner.organizationId}`, {
      token: owner.token,
      expect: 422,
    });
    expect(body.detail[0].msg).toBe("The app has 2001 objects and records. At most 2000 can be pushed.");
  });
});
