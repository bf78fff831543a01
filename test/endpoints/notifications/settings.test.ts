import { beforeAll, describe, expect, it } from "vitest";
import { addUser, http, registerOrganization, type User } from "../../platform.ts";
import { messagesAreHandled } from "../../setup/outbox.ts";
import { recordsOf } from "../automation/triggers.ts";

let owner: User;
let member: User;

const save = async (object: string, body: object, { token } = owner): Promise<string> =>
  (await http.post(`/v1/object/${object}`, { token, body, expect: 201 })).body.id;

const toldTo = async (user: User) =>
  (await http.get("/v1/notifications?limit=200", { token: user.token, expect: 200 })).body.notifications as {
    title: string;
    body: string;
    record_id: string | null;
  }[];

const fire = (body: unknown, expected = 202, as = owner) =>
  http.post("/v1/notifications", { token: as.token, body, expect: expected });

beforeAll(async () => {
  owner = await registerOrganization();
  member = await addUser(owner.organizationId);
});

describe("POST /v1/notifications", () => {
  it("tells the recipients of settings what their templates make of the data", async () => {
    const template = await save("template", {
      name: "Order",
      kind: "notification",
      subject: "Order {{ data.number | default: number }}",
      text: "For {{ user.name }}: {{ number }} pieces",
    });
    const setting = await save("notification_setting", {
      name: "Order came",
      api_name: "order_came",
      template,
      channels: ["in_app"],
      recipients: { users: [member.id, owner.id] },
    });
    const { body } = await fire([
      { name: "order_came", data: { number: 7 } },
      { id: setting, data: { number: 8 } },
    ]);
    expect(body).toEqual({ accepted: 2, ids: [expect.any(String), expect.any(String)] });
    await messagesAreHandled(owner);
    const told = await toldTo(member);
    expect(told.map(({ title, body: text }) => [title, text]).sort()).toEqual([
      ["Order 7", expect.stringMatching(/^For .+: 7 pieces$/)],
      ["Order 8", expect.stringMatching(/^For .+: 8 pieces$/)],
    ]);
    expect(await toldTo(owner)).toHaveLength(2);
    const keys = (await recordsOf(owner, "notification")).map(({ key }) => key);
    expect(keys.sort()).toEqual([...body.ids, ...body.ids].sort());
  });

  it("tells a firing whose template cannot be rendered by the setting's name, and the others as usual", async () => {
    const org = await registerOrganization();
    const template = await save(
      "template",
      { name: "Stars", subject: "Order {{ number }}", text: "{% for n in (1..number) %}*{% endfor %}" },
      org,
    );
    const setting = { name: "Order rated", template, recipients: { users: [org.id] } };
    const id = await save("notification_setting", setting, org);
    const numbers = [3, 100_000_000, 5];
    await fire(
      numbers.map((number) => ({ id, data: { number } })),
      202,
      org,
    );
    await messagesAreHandled(org);
    const told = (await toldTo(org)).map(({ title, body }) => [title, body]).sort();
    expect(told).toEqual([
      ["Order 3", "***"],
      ["Order 5", "*****"],
      ["Order rated", ""],
    ]);
    const plain = (await recordsOf(org, "notification")).find(({ title }) => title === "Order rated");
    expect(plain?.events).toMatchObject([
      { type: "sent", detail: expect.stringMatching(/^The template cannot be rendered: Line 1, column \d+: /) },
    ]);
  });

  it("refuses all if one setting is unknown, inactive or of another organization, and names its index", async () => {
    const stranger = await registerOrganization();
    const foreign = await save("notification_setting", { name: "Foreign", recipients: {} }, stranger);
    const off = await save("notification_setting", { name: "Off", active: false });
    const known = await save("notification_setting", { name: "Known", recipients: { users: [owner.id] } });
    const before = (await recordsOf(owner, "notification")).length;
    const body = [{ id: known }, { id: foreign }, { name: "Off" }, { id: off }];
    const { body: problem } = await fire(body, 422);
    expect(problem.detail.map(({ loc }: { loc: unknown[] }) => loc)).toEqual([
      ["body", 1, "id"],
      ["body", 2, "name"],
      ["body", 3, "id"],
    ]);
    await fire([{}], 422);
    await fire([], 422);
    await fire([{ id: known, name: "Known" }], 422);
    expect(await recordsOf(owner, "notification")).toHaveLength(before);
  });

  it("fires settings only for those who may read settings and the record that it is about", async () => {
    const setting = await save("notification_setting", {
      name: "About a lead",
      object: "lead",
      recipients: { users: [owner.id] },
      condition: "record.name == 'Secret'",
    });
    const lead = await save("lead", { name: "Secret" });
    const requests = [{ id: setting, record_id: lead }];
    await fire(requests, 403, await addUser(owner.organizationId));
    const settings = await save("permission", {
      name: "Settings",
      object_permissions: { notification_setting: { read: true } },
    });
    const operator = await addUser(owner.organizationId, { permissions: [settings] });
    expect((await fire(requests, 422, operator)).body.detail).toMatchObject([
      { loc: ["body", 0, "record_id"], type: "unknown_record", input: lead },
    ]);
    const leads = await save("permission", { name: "Leads", object_permissions: { lead: { read: true } } });
    const sales = await addUser(owner.organizationId, { permissions: [settings, leads] });
    expect((await fire([{ id: setting, record_id: "none" }], 422, sales)).body.detail).toHaveLength(1);
    await fire(requests, 202, sales);
    await messagesAreHandled(owner);
    expect((await toldTo(owner)).filter(({ record_id }) => record_id === lead)).toHaveLength(1);
  });

  it("accepts five hundred at once, and tells each once", async () => {
    const user = await addUser(owner.organizationId);
    await save("notification_setting", { name: "Flood", api_name: "flood", recipients: { users: [user.id] } });
    const { body } = await fire(Array.from({ length: 500 }, (_, n) => ({ name: "flood", data: { n } })));
    expect(body.accepted).toBe(500);
    const count = async () =>
      (
        await http.get("/v1/query", {
          token: owner.token,
          query: { q: "SELECT COUNT(*) AS n FROM notification WHERE title = 'Flood'" },
          expect: 200,
        })
      ).body.records?.[0]?.n;
    await messagesAreHandled(owner);
    expect(await count()).toBe(500);
    await fire(
      Array.from({ length: 501 }, () => ({ name: "flood" })),
      422,
    );
  });

  it("tells nobody if the condition is false, null or cannot be evaluated", async () => {
    const user = await addUser(owner.organizationId);
    const setting = { name: "Large", recipients: { users: [user.id] }, condition: "data.amount > 100" };
    await save("notification_setting", setting);
    await fire([{ name: "Large", data: { amount: 99 } }, { name: "Large" }, { name: "Large", data: { amount: "x" } }]);
    await fire([{ name: "Large", data: { amount: 101 } }]);
    await messagesAreHandled(owner);
    expect(await toldTo(user)).toHaveLength(1);
  });
});

describe("a setting is refused when it is saved", () => {
  it.each([
    ["with an unknown object", { object: "leed", events: ["create"] }, ["body", "object"]],
    ["with events and no object", { events: ["create"] }, ["body", "events"]],
    ["for records of the platform", { object: "log", events: ["create"] }, ["body", "object"]],
    ["with an unknown field", { object: "lead", recipients: { field: "chief" } }, ["body", "recipients", "field"]],
    ["with the owner of no object", { recipients: { owner_of_record: true } }, ["body", "recipients"]],
    ["with unknown recipients", { recipients: { everyone: true } }, ["body", "recipients"]],
    ["with a condition that is not CEL", { condition: "record.name ==" }, ["body", "condition"]],
    ["with a condition over unknown names", { condition: "inputs.x == 1" }, ["body", "condition"]],
  ])("%s", async (_, fields, loc) => {
    const options = { token: owner.token, body: { name: "Wrong", ...fields }, expect: 422 };
    const { body } = await http.post("/v1/object/notification_setting", options);
    expect(body.detail[0].loc).toEqual(loc);
  });
});

describe("settings that fire on record changes", () => {
  it("tell of what their condition says, each once, with what the recipient may read", async () => {
    const org = await registerOrganization();
    const [limited, other] = await Promise.all([
      addUser(org.organizationId, { permissions: [] }),
      addUser(org.organizationId),
    ]);
    const permission = await save(
      "permission",
      {
        name: "Leads without amounts",
        object_permissions: { lead: { read: true } },
        object_field_permissions: { lead: { amount: { read: false } } },
      },
      org,
    );
    await http.patch(`/v1/object/user/${limited.id}`, { token: org.token, body: { permissions: [permission] } });
    const template = await save(
      "template",
      { name: "Won", subject: "{{ record.name }}", text: "{{ record.amount | default: 'hidden' }}" },
      org,
    );
    const recipients = { users: [limited.id, org.id], owner_of_record: true };
    const common = { template, recipients, object: "lead" };
    await save(
      "notification_setting",
      { name: "Won", ...common, events: ["update"], condition: "record.status == 'Won' && old.status != 'Won'" },
      org,
    );
    await save("notification_setting", { name: "All", object: "lead", recipients, events: ["create", "update"] }, org);
    const lead = await save("lead", { name: "Ada", amount: 500, status: "New" }, org);
    const patch = (body: object) => http.patch(`/v1/object/lead/${lead}`, { token: org.token, body, expect: 200 });
    await patch({ status: "Open" });
    await patch({ status: "Won" });
    await messagesAreHandled(org);
    expect([(await toldTo(org)).length, (await toldTo(limited)).length]).toEqual([4, 4]);
    const textOf = async (user: User) => (await toldTo(user)).filter(({ title }) => title === "Ada");
    expect(await textOf(org)).toMatchObject([{ body: "500", record_id: lead }]);
    expect(await textOf(limited)).toMatchObject([{ body: "hidden", record_id: lead }]);
    expect(await toldTo(other)).toEqual([]);
  });

  it("tell nobody of a record that they may not see, also when it is deleted", async () => {
    const org = await registerOrganization();
    const role = await save("role", { name: "Own only", view_access: "personal" }, org);
    const person = await addUser(org.organizationId);
    await http.patch(`/v1/object/user/${person.id}`, { token: org.token, body: { role }, expect: 200 });
    await save(
      "notification_setting",
      { name: "Gone", object: "lead", recipients: { users: [person.id, org.id] }, events: ["create", "delete"] },
      org,
    );
    const lead = await save("lead", { name: "Secret" }, org);
    const own = await save("lead", { name: "Theirs", owner: person.id }, org);
    // Nobody is told of the creation of a record that is gone by then.
    await messagesAreHandled(org);
    expect(await toldTo(org)).toHaveLength(2);
    await http.delete(`/v1/object/lead/${lead}`, { token: org.token, expect: 200 });
    await messagesAreHandled(org);
    expect(await toldTo(org)).toHaveLength(3);
    expect((await toldTo(person)).map(({ record_id }) => record_id)).toEqual([own]);
  });

  it("tell all of a role with a thousand users once", async () => {
    const org = await registerOrganization();
    const role = await save("role", { name: "Crowd" }, org);
    const { databaseClient } = await import("../../platform.ts");
    const mongo = await databaseClient();
    const users = mongo.db(org.organizationId).collection<{ _id: string }>("user");
    const at = new Date();
    await users.insertMany(
      Array.from({ length: 1_000 }, (_, n) => {
        const id = `crowd-${String(n).padStart(4, "0")}`;
        return {
          _id: id,
          id,
          name: id,
          email: `${id}@example.test`,
          is_active: true,
          role: { id: role },
          created_date: at,
        };
      }),
    );
    await mongo.close();
    const setting = await save("notification_setting", { name: "Crowd", recipients: { roles: [role] } }, org);
    await fire([{ id: setting }], 202, org);
    const count = async () =>
      (
        await http.get("/v1/query", {
          token: org.token,
          query: { q: "SELECT COUNT(*) AS n FROM notification" },
          expect: 200,
        })
      ).body.records?.[0]?.n;
    await messagesAreHandled(org);
    expect(await count()).toBe(1_000);
    const dynamic = { title: "All", role_id: role };
    const { body } = await http.post("/v1/notifications/dynamic", { token: org.token, body: dynamic, expect: 202 });
    expect(body.ids).toHaveLength(1_000);
  });
});
