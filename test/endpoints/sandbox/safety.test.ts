import type { Db, Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addUser, databaseClient, http, mailsTo, registerOrganization, type User } from "../../platform.ts";
import { sandboxSteps } from "../../setup/sandboxes.ts";

const steps = sandboxSteps(http);

type Stored = Document & { _id: string };

let owner: User;
let mongo: MongoClient;
let production: Db;
let sandbox: Db;
let sandboxId: string;
let sandboxToken: string;

/** Every planted value has a number of its own. */
const secret = (number: number): string => `planted-secret-${number}.`;
const record = (number: number): string => `planted-record-${number}.`;
const RECORDS = 20;

const post = async (path: string, body: unknown, token = owner.token) =>
  (await http.post(path, { token, body, expect: 201 })).body;
const field = (object_id: string, body: object) =>
  http.post("/v1/schema/field", { token: owner.token, body: { object_id, ...body }, expect: 200 });

/** JSON of so many levels with the value at the bottom, in objects and lists by turns. */
const buried = (levels: number, value: object): unknown =>
  levels === 0 ? value : levels % 2 === 0 ? { inner: buried(levels - 1, value) } : [buried(levels - 1, value)];

const plantSecrets = async (): Promise<void> => {
  await post("/v1/object/auth_credential", [
    { name: "Mail", provider: "emailvendor", value: { key: secret(1) } },
    { name: "SMS", provider: "smsvendor", value: secret(2) },
  ]);
  await field("app", { name: "Licence", type: "string", encrypted: true });
  await field("app", { name: "Plan", type: "string", encrypted: true, default: secret(3) });
  await field("app", { name: "Greeting", type: "string", sensitive: true, default: secret(4) });
  await field("app", { name: "Client secret", type: "string" });
  await field("app", { name: "Access token number", type: "number" });
  await field("app", { name: "Dropped", type: "string" });
  const app = await post("/v1/object/app", {
    name: "Shop",
    api_name: "shop",
    licence: secret(5),
    greeting: "Hello",
    client_secret: secret(6),
    access_token_number: 424242,
    dropped: secret(7),
    settings: { smtp: { Password: secret(8), host: "mail.example" }, apiKey: secret(9), theme: "dark" },
  });
  await http.delete("/v1/schema/app/dropped", { token: owner.token, expect: 200 });
  await post("/v1/object/app_page", {
    name: "Home",
    app: app.id,
    layout: buried(17, { private_key: secret(10), label: "kept" }),
  });
  await post("/v1/object/app_metadata", [
    { name: "Stripe", api_name: "stripe_api_key", value: secret(11) },
    { name: "Webhook secret", api_name: "hook", value: { current: secret(12) } },
    { name: "Shipping", api_name: "shipping", value: { carrier: "DHL", auth: { token: [secret(13), secret(14)] } } },
    { name: "Colours", api_name: "colours", value: ["red", "green"] },
  ]);
  await post("/v1/object/automation", {
    name: "Notify",
    nodes: [
      {
        id: "n1",
        type: "trigger",
        config: {
          kind: "manual",
          variables: { headers: [{ "X-Api-Key": secret(15) }], credentials: { user: secret(16) } },
        },
      },
      { id: "n2", type: "return", config: {} },
    ],
    edges: [{ from: "n1", to: "n2" }],
  });
  await http.patch(`/v1/object/organization/${owner.organizationId}`, {
    token: owner.token,
    body: { settings: { time_zone: "Europe/Berlin", hook: { secret: secret(17) } } },
    expect: 200,
  });
  await production.collection<Stored>("organization").updateOne(
    { _id: owner.organizationId },
    {
      $set: {
        billing: {
          plan: "gold",
          status: "active",
          paymentvendor_customer_id: secret(18),
          smsvendor_account_id: secret(19),
        },
      },
    },
  );
  const users = production.collection<Stored>("user");
  await users.updateOne(
    { _id: owner.id },
    { $set: { notification_tokens: [{ token: secret(20) }], password_hash: secret(21), totp_secret: secret(22) } },
  );
  await production.collection<Stored>("admitted_session").insertOne({ _id: secret(23), user_id: owner.id });
  await production.collection<Stored>("field_data_key").insertOne({ _id: secret(24) });
};

const plantRecords = async (): Promise<void> => {
  const { api_name: custom } = await post("/v1/schema", {
    name: "Contract",
    fields: [{ name: "Text", type: "string" }],
  });
  const objects = [
    "lead",
    "contact",
    "company",
    "task",
    "note",
    "invoice",
    "documentation",
    "blog_post",
    "question",
    custom,
  ];
  for (const [index, object] of objects.entries()) await post(`/v1/object/${object}`, { name: record(index + 1) });
  const written = [
    "email_message",
    "sms_message",
    "push_message",
    "email_suppression",
    "notification",
    "log",
    "usage_record",
    "audit_entry",
    "scheduled_item",
    "document",
  ];
  for (const [index, object] of [...written, "user_presence", "record_counter", "pending_rename"].entries()) {
    await production.collection<Stored>(object).insertOne({ _id: record(index + 11), name: record(index + 11) });
  }
};

/** All that is stored in a database, as text. */
const contentOf = async (database: Db): Promise<Map<string, string>> => {
  const collections = await database.listCollections({}, { nameOnly: true }).toArray();
  const contents = await Promise.all(
    collections.map(async ({ name }) => {
      const documents = await database.collection(name).find().toArray();
      return [name, JSON.stringify(documents, (_, value) => (value?.buffer ? String(value.buffer) : value))] as const;
    }),
  );
  return new Map(contents);
};

beforeAll(async () => {
  owner = await registerOrganization("Planted");
  mongo = await databaseClient();
  production = mongo.db(owner.organizationId);
  await plantSecrets();
  await plantRecords();
  sandboxId = (await steps.create(owner.token, "safe")).id;
  sandbox = mongo.db(sandboxId);
  sandboxToken = await steps.enter(owner.token, sandboxId);
});
afterAll(() => mongo.close());

describe("what is not in a sandbox", () => {
  test.each([["after its creation"], ["after a refresh"]])("planted secrets and records %s", async (when) => {
    if (when === "after a refresh") {
      await steps.refresh(owner.token, "safe");
    }
    const all = [...(await contentOf(production)).values()].join("\n");
    const lost = Array.from({ length: RECORDS }, (_, index) => record(index + 1)).filter((text) => !all.includes(text));
    expect(lost).toEqual([]);
    for (const [name, content] of await contentOf(sandbox)) {
      const found = [...content.matchAll(/planted-(?:secret|record)-\d+\./g)].map(([text]) => text);
      expect([name, ...found]).toEqual([name]);
      expect(content).not.toContain("424242");
    }
  });

  test("collections other than those of the configuration and of the platform itself", async () => {
    const names = [...(await contentOf(sandbox)).keys()].sort();
    expect(names).toEqual([
      "_migration",
      "admitted_session",
      "app",
      "app_metadata",
      "app_page",
      "audit_entry",
      "automation",
      "function",
      "function_execution",
      "idempotency_key",
      "notification_setting",
      "organization",
      "organization_state",
      "permission",
      "record_counter",
      "record_trigger",
      "role",
      "schemas",
      "template",
      "user",
      "value_list",
      "write_fence",
    ]);
  });

  test("a billing account", async () => {
    const organization = await sandbox.collection<Stored>("organization").findOne({ _id: sandboxId });
    expect(organization?.billing).toEqual({ plan: "free", status: "active" });
  });
});

describe("what is in a sandbox", () => {
  test("configuration without the values of secret names", async () => {
    const { body: apps } = await http.get("/v1/object/app", { token: sandboxToken, expect: 200 });
    expect(apps).toEqual([
      expect.objectContaining({
        name: "Shop",
        client_secret: "********",
        settings: { smtp: { Password: "********", host: "mail.example" }, apiKey: "********", theme: "dark" },
      }),
    ]);
    const { body: values } = await http.get("/v1/object/app_metadata?order_by=name", {
      token: sandboxToken,
      expect: 200,
    });
    expect(values.map(({ value }: { value: unknown }) => value)).toEqual([
      ["red", "green"],
      { carrier: "DHL", auth: { token: "********" } },
      "********",
      "********",
    ]);
    const { body: pages } = await http.get("/v1/object/app_page", { token: sandboxToken, expect: 200 });
    expect(pages[0].layout).toEqual(buried(17, { private_key: "********", label: "kept" }));
  });

  test("the settings of the organization", async () => {
    const { body } = await http.get("/v1/auth/load", { token: sandboxToken, expect: 200 });
    expect(body.organization).toMatchObject({
      is_sandbox: true,
      parent_organization_id: owner.organizationId,
      sandbox_name: "safe",
      settings: { time_zone: "Europe/Berlin", hook: { secret: "********" } },
      billing: { plan: "free", status: "active" },
    });
  });

  test("no difference from the parent, although its secrets are not there", async () => {
    const { body } = await http.get("/v1/sandbox/safe/diff", { token: owner.token, expect: 200 });
    expect(body).toEqual({ sandbox_name: "safe", identical: true, kinds: {} });
  });
});

test("mail to the owners of a sandbox is kept in it, and never sent", async () => {
  const colleague = await addUser(owner.organizationId, { isAccountAdmin: true });
  await http.post("/v1/sandbox/safe/users", { token: owner.token, body: { users: colleague.email }, expect: 200 });
  const before = (await mailsTo(owner.email)).length;
  await http.patch(`/v1/object/user/${colleague.id}`, {
    token: sandboxToken,
    body: { is_account_owner: true },
    expect: 200,
  });
  const { body: kept } = await http.get("/v1/object/email_message", { token: sandboxToken, expect: 200 });
  expect(kept.map(({ to, status }: { to: string[]; status: string }) => [to, status])).toContainEqual([
    [owner.email],
    "captured",
  ]);
  expect(await mailsTo(owner.email)).toHaveLength(before);
});
