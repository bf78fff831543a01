import { beforeAll, describe, expect, it } from "vitest";
import { addUser, http, registerOrganization, type User } from "../../platform.ts";
import { contextCall, plantExecution, runBody } from "./functions.ts";
import { addTrigger, recordsOf } from "./triggers.ts";

let owner: User;
let member: User;
let token: string;
let memberToken: string;

beforeAll(async () => {
  owner = await registerOrganization();
  member = await addUser(owner.organizationId);
  ({ token } = await plantExecution(owner));
  ({ token: memberToken } = await plantExecution(member));
});

const get = async (object: string, id: string, as = owner) =>
  (await http.get(`/v1/object/${object}/${id}`, { token: as.token, expect: 200 })).body;

const call = async (method: string, args: unknown[], as = token) => {
  const { status, body } = await contextCall(as, `communications.${method}`, args);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.result;
};

const issues = async (method: string, args: unknown[], as = token) => {
  const { status, body } = await contextCall(as, `communications.${method}`, args);
  expect(status, JSON.stringify(body)).toBe(422);
  return body.detail;
};

const captured = { status: "captured", events: [expect.objectContaining({ type: "captured" })] };

it("a function sends an email, a text message and a notification, which are recorded and kept", async () => {
  const code =
    "email = await platform.communications.send_email({'to_emails': ['Ada@Example.com'], 'subject': 'Hello',\n" +
    "    'plain_text_content': 'Hi'})\n" +
    "sms = await platform.communications.send_sms('+49 30 123456', 'Hi')\n" +
    "told = await platform.communications.notifications.notify([{'title': 'Done', 'data': {'key': 'k1'}}])\n" +
    "read = await platform.communications.notifications.mark_read({'key': 'key', 'value': 'k1'})\n" +
    "return [email, sms, told, read]";
  const [email, sms, told, read] = (await runBody(owner, code)) as [
    { id: string },
    { id: string },
    { ids: string[] },
    object,
  ];
  expect(email).toEqual({
    id: expect.any(String),
    status: "captured",
    recipients: [{ email: "ada@example.com", status: "captured" }],
  });
  expect(await get("email_message", email.id)).toMatchObject({
    ...captured,
    name: "Hello",
    subject: "Hello",
    from_email: owner.email,
    to: ["ada@example.com"],
    text: "Hi",
    direction: "outbound",
    owner: { id: owner.id },
  });
  expect(sms).toMatchObject({ status: "captured", to: "+4930123456" });
  expect(await get("sms_message", sms.id)).toMatchObject({ ...captured, to: "+4930123456", message: "Hi" });
  expect(told).toMatchObject({ accepted: 1, ids: [expect.any(String)] });
  expect(read).toEqual({ message: "1 notification is read now.", updated: 1 });
  expect(await get("notification", told.ids[0] ?? "")).toMatchObject({
    status: "sent",
    events: [expect.objectContaining({ type: "sent" })],
    title: "Done",
    type: "dynamic",
    user: { id: owner.id },
    data: { key: "k1" },
    read: true,
  });
});

describe("what a sync trigger sends", () => {
  const sending =
    "await context.communications.send_email({'to_emails': ['t@example.com'], 'subject': 'From a trigger'})\n" +
    "await context.communications.notifications.notify([{'title': 'From a trigger'}])\n";
  const sent = async (user: User) => {
    const all = [...(await recordsOf(user, "email_message")), ...(await recordsOf(user, "notification"))];
    return all.map(({ name, status }) => [name, status]);
  };

  it("is recorded with the write that runs it", async () => {
    const user = await registerOrganization();
    await addTrigger(user, "sends", sending, { events: ["after_create"] });
    await http.post("/v1/object/lead", { token: user.token, body: { name: "Ada" }, expect: 201 });
    expect(await sent(user)).toEqual([
      ["From a trigger", "captured"],
      ["From a trigger", "sent"],
    ]);
  });

  it("is not recorded if the write fails", async () => {
    const user = await registerOrganization();
    await addTrigger(user, "refuses", `${sending}raise TriggerError('no')`, { events: ["after_create"] });
    await http.post("/v1/object/lead", { token: user.token, body: { name: "Ada" }, expect: 422 });
    expect(await sent(user)).toEqual([]);
    expect(await recordsOf(user, "lead")).toEqual([]);
  });
});

describe("an email", () => {
  it("has the given sender, copies and content", async () => {
    const request = {
      to_emails: ["a@example.com"],
      from_email: "sales@example.com",
      cc: ["b@example.com"],
      bcc: ["a@example.com"],
      reply_to: "r@example.com",
      html_content: "<p>Hi</p>",
    };
    const { id, recipients } = await call("send_email", [request], memberToken);
    expect(recipients.map(({ email }: { email: string }) => email)).toEqual(["a@example.com", "b@example.com"]);
    expect(await get("email_message", id)).toMatchObject({
      name: "(no subject)",
      from_email: "sales@example.com",
      cc: ["b@example.com"],
      // Vendors refuse an address that is named twice.
      bcc: null,
      reply_to: "r@example.com",
      body: "<p>Hi</p>",
      created_by: { id: member.id },
    });
  });

  it.each([
    ["no recipient", { to_emails: [], subject: "x" }],
    ["a recipient that is no address", { to_emails: ["nobody"], subject: "x" }],
    ["no subject and no content", { to_emails: ["a@example.com"] }],
    ["a line break in the subject", { to_emails: ["a@example.com"], subject: "a\r\nBcc: b@example.com" }],
    ["content that is too large", { to_emails: ["a@example.com"], html_content: "x".repeat(512 * 1024 + 1) }],
    ["an unknown part", { to_emails: ["a@example.com"], subject: "x", template: "t" }],
  ])("is refused with %s", async (_, request) => {
    expect((await issues("send_email", [request]))[0].loc.slice(0, 2)).toEqual(["body", "request"]);
  });

  it("has at most 100 recipients if it is not an administrator's", async () => {
    const to_emails = Array.from({ length: 101 }, (_, index) => `p${index}@example.com`);
    const request = { to_emails, subject: "x" };
    expect(await issues("send_email", [request], memberToken)).toMatchObject([{ type: "too_many_recipients" }]);
    expect((await call("send_email", [request])).recipients.length).toBe(101);
  });
});

it.each(["", "123456", "+49", "hello", "+4930123456789012345"])("a text message to %j is refused", async (to) => {
  expect(await issues("send_sms", [to, "Hi"])).toMatchObject([{ loc: ["body", "to"] }]);
});

describe("notifications", () => {
  it("tell a user, all active users with a role, or the caller", async () => {
    const role = (await http.post("/v1/object/role", { token: owner.token, body: { name: "Told" }, expect: 201 })).body
      .id;
    const others = await Promise.all([1, 2].map(() => addUser(owner.organizationId)));
    for (const { id } of others)
      await http.patch(`/v1/object/user/${id}`, { token: owner.token, body: { role }, expect: 200 });
    const requests = [{ title: "One", user_id: member.id }, { title: "Role", role_id: role }, { title: "Me" }];
    const { accepted, ids } = await call("notifications.notify", [requests]);
    expect([accepted, ids.length]).toEqual([3, 4]);
    const told = await Promise.all(ids.map((id: string) => get("notification", id)));
    expect(told.map(({ title, user }) => [title, user.id]).sort()).toEqual(
      [["One", member.id], ...others.map(({ id }) => ["Role", id]), ["Me", owner.id]].sort(),
    );
    expect(told[0].owner.id).toBe(told[0].user.id);
  });

  it("are refused as a whole for a user of another organization", async () => {
    const stranger = await registerOrganization();
    const requests = [{ title: "One" }, { title: "Two", user_id: stranger.id }];
    const before = await notificationsOf(owner);
    expect(await issues("notifications.notify", [requests])).toMatchObject([
      { loc: ["body", 1, "user_id"], type: "unknown_user" },
    ]);
    expect(await notificationsOf(owner)).toBe(before);
  });

  it("that are not to be saved leave no record", async () => {
    expect(await call("notifications.notify", [{ title: "Gone", save: false }])).toEqual({ accepted: 1, ids: [] });
  });

  it("are marked as read by their ids or data, only one's own", async () => {
    const requests = [1, 2].map((n) => ({ title: `N${n}`, user_id: member.id, data: { n }, record_id: "r1" }));
    const { ids } = await call("notifications.notify", [requests]);
    expect((await call("notifications.mark_read", [ids])).updated).toBe(0);
    expect((await call("notifications.mark_read", [{ n: 1, record_id: "r1" }], memberToken)).updated).toBe(1);
    expect((await call("notifications.mark_read", [[{ n: 1 }, { n: 2 }]], memberToken)).updated).toBe(1);
    expect((await call("notifications.mark_read", [ids], memberToken)).updated).toBe(0);
  });

  it.each([[{}], [[]], [{ "a.b": 1 }], [{ $where: "1" }], [{ key: "k", value: { $ne: 1 } }], [{ n: { $gt: 0 } }]])(
    "are not marked by %j",
    async (filter) => {
      await issues("notifications.mark_read", [filter]);
    },
  );
});

const notificationsOf = async ({ token: own }: User): Promise<number> =>
  (await http.get("/v1/query", { token: own, query: { q: "SELECT COUNT(*) AS n FROM notification" }, expect: 200 }))
    .body.records[0].n;
