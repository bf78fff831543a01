import { beforeAll, describe, expect, it } from "vitest";
import { addUser, databaseClient, http, registerOrganization, type User } from "../../platform.ts";

let owner: User;
let member: User;
let other: User;

beforeAll(async () => {
  [owner, other] = await Promise.all([registerOrganization(), registerOrganization()]);
  member = await addUser(owner.organizationId);
});

const SEND = "/v1/email-services/emailvendor/send";

const send = async (body: object, user = owner) =>
  (
    await http.post(SEND, {
      token: user.token,
      body: { to_emails: ["ada@example.com"], subject: "S", ...body },
      expect: 200,
    })
  ).body;

const refused = async (body: object, user = owner) =>
  (
    await http.post(SEND, {
      token: user.token,
      body: { to_emails: ["ada@example.com"], subject: "S", ...body },
      expect: 422,
    })
  ).body.detail;

const read = async (id: string, user = owner) =>
  (await http.post(`/v1/email-services/emailvendor/messages/${id}`, { token: user.token, expect: 200 })).body;

const create = async (object: string, body: object, user = owner) =>
  (await http.post(`/v1/object/${object}`, { token: user.token, body, expect: 201 })).body.id as string;

describe("POST /v1/email-services/emailvendor/send", () => {
  it("records the whole message, and tells the status of each recipient", async () => {
    const lead = await create("lead", { name: "Ada" });
    const sent = await send({
      to_emails: ["Ada@Example.com", "ada@example.com"],
      cc: ["bob@b\u00fccher.example"],
      bcc: ["eve@example.com", "ada@example.com"],
      from_email: "sales@acme.example",
      from_name: "Acme Sales",
      reply_to: "help@acme.example",
      subject: "Hello",
      html_content: "<h1>Hi</h1><p>Ada</p>",
      related_to: { object: "lead", id: lead },
      tracking_settings: { open_tracking: { enable: true }, click_tracking: { enable: false } },
    });
    const all = ["ada@example.com", "bob@xn--bcher-kva.example", "eve@example.com"];
    expect(sent).toEqual({
      id: expect.any(String),
      status: "captured",
      recipients: all.map((email) => ({ email, status: "captured" })),
    });
    const message = await read(sent.id);
    expect(message).toMatchObject({
      to: ["ada@example.com"],
      cc: ["bob@xn--bcher-kva.example"],
      bcc: ["eve@example.com"],
      from_email: "sales@acme.example",
      from_name: "Acme Sales",
      body: "<h1>Hi</h1><p>Ada</p>",
      related_to: { id: lead, schema: "lead", name: "Ada" },
      category: "transactional",
      status: "captured",
      events: [{ type: "captured", at: expect.any(String), detail: expect.any(String) }],
    });
    expect(message.text).toContain("Ada");
    expect(message).not.toHaveProperty("_email");
  });

  it("answers a repetition with the same message, and refuses the key for another one", async () => {
    const headers = { "idempotency-key": "once" };
    const body = { to_emails: ["ada@example.com"], subject: "Once" };
    const first = await http.post(SEND, { token: owner.token, body, headers, expect: 200 });
    const again = await http.post(SEND, { token: owner.token, body, headers, expect: 200 });
    expect(again.body).toEqual(first.body);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    await http.post(SEND, { token: owner.token, body: { ...body, subject: "Other" }, headers, expect: 422 });
    const { body: found } = await http.get("/v1/query", {
      token: owner.token,
      query: { q: "SELECT COUNT(*) AS n FROM email_message WHERE subject = 'Once'" },
      expect: 200,
    });
    expect(found.records).toEqual([{ n: 1 }]);
  });

  it("sends a list as one message for each recipient, each with a link of its own and one content", async () => {
    const to_emails = Array.from({ length: 1_000 }, (_, index) => `r${index}@example.com`);
    const { id, recipients } = await send({
      to_emails,
      category: "list",
      html_content: `<p>${"x".repeat(100_000)}</p>`,
    });
    expect(recipients).toHaveLength(1_000);
    expect(recipients[0]).toEqual({ email: "r0@example.com", status: "captured", id });
    expect((await read(recipients[999].id)).body).toHaveLength(100_007);
    const mongo = await databaseClient();
    const stored = await mongo.db(owner.organizationId).collection("email_message").find({ batch_id: id }).toArray();
    await mongo.close();
    expect(stored).toHaveLength(1_000);
    expect(stored.filter(({ body }) => body !== undefined)).toHaveLength(1);
    expect(new Set(stored.map(({ _email }) => _email.unsubscribe)).size).toBe(1_000);
    expect(stored.map(({ to }) => to.length)).toEqual(Array(1_000).fill(1));
  });

  it("keeps a member to 100 recipients", async () => {
    const to_emails = Array.from({ length: 101 }, (_, index) => `r${index}@example.com`);
    expect(await refused({ to_emails }, member)).toMatchObject([{ type: "too_many_recipients" }]);
    expect(await refused({ to_emails: Array(1_001).fill("a@example.com") })).toMatchObject([{ type: "too_big" }]);
  });

  it.each([
    ["a line break in the subject", { subject: "a\r\nBcc: eve@example.com" }, "subject"],
    ["a separator of lines in the name", { from_name: "a\u2028b" }, "from_name"],
    ["a line break in an address", { to_emails: ["a@example.com\nBcc: eve@example.com"] }, "to_emails"],
    ["several addresses in one", { to_emails: ["a@example.com, b@example.com"] }, "to_emails"],
    ["a name beside an address", { reply_to: "Ada <ada@example.com>" }, "reply_to"],
    ["a quoted address", { to_emails: ['"a b"@example.com'] }, "to_emails"],
    [
      "a line break in a file's name",
      { attachments: [{ filename: "a\r\nX: y", type: "text/plain", content: "YQ==" }] },
      "attachments",
    ],
    [
      "a type of a file with a parameter",
      { attachments: [{ filename: "a", type: "text/plain; x=y", content: "YQ==" }] },
      "attachments",
    ],
    ["bypassed suppression", { mail_settings: { bypass_list_management: { enable: true } } }, "mail_settings"],
    ["an unknown setting", { tracking_settings: { ganalytics: { enable: true } } }, "tracking_settings"],
    ["merge data without a template", { merge_data: { a: 1 } }, "merge_data"],
    [
      "a group in a transactional message",
      { category: "transactional", asm_settings: { group_id: 1 } },
      "asm_settings",
    ],
    ["a date without a zone", { send_at: "2030-01-01T00:00:00" }, "send_at"],
    ["a date in two years", { send_at: new Date(Date.now() + 800 * 86_400_000).toISOString() }, "send_at"],
  ])("refuses %s", async (_, body, field) => {
    const [issue] = await refused(body);
    expect(issue.loc.slice(0, 2)).toEqual(["body", field]);
  });

  it("refuses cc and bcc to a list, because each recipient gets a message of their own", async () => {
    expect(await refused({ category: "list", cc: ["b@example.com"] })).toHaveLength(1);
  });

  it("attaches files of the request, and refuses those that run", async () => {
    const file = (filename: string, content = "hello", type = "text/plain") => ({
      filename,
      type,
      content: Buffer.from(content).toString("base64"),
    });
    const { id } = await send({
      attachments: [file("a.txt"), { ...file("b.png"), disposition: "inline", content_id: "b" }],
    });
    expect((await read(id)).attachments).toEqual([
      { filename: "a.txt", type: "text/plain", size: 5, disposition: "attachment" },
      { filename: "b.png", type: "text/plain", size: 5, disposition: "inline", content_id: "b" },
    ]);
    const bad = [
      file("a.exe"),
      file("a.pdf.JS"),
      file("a.scr."),
      file("notes.txt", "MZ\u0090"),
      file("notes.txt", "#!/bin/sh"),
      file("notes.txt", "x", "application/x-msdownload"),
    ];
    for (const one of bad) {
      expect(await refused({ attachments: [one] }), one.filename).toMatchObject([{ type: "blocked_attachment" }]);
    }
    expect(await refused({ attachments: [{ ...file("a.txt"), content: "no base64!" }] })).toHaveLength(1);
  });

  it("refuses documents, templates and related records that the caller may not read, as if there were none", async () => {
    const theirs = await create("lead", { name: "Theirs" }, other);
    const template = await create("template", { name: "T", html: "<p>x</p>" }, other);
    const document = await create("document", { name: "D" }, other);
    const unknown = "01900000-0000-7000-8000-000000000000";
    const blur = (detail: unknown, id: string): string => JSON.stringify(detail).replaceAll(id, "ID");
    for (const make of [
      (id: string) => ({ related_to: { object: "lead", id } }),
      (id: string) => ({ template_id: id }),
      (id: string) => ({ file_attachments: [id] }),
    ]) {
      for (const id of [theirs, template, document]) {
        expect(blur(await refused(make(id)), id)).toBe(blur(await refused(make(unknown)), unknown));
      }
    }
  });

  it("keeps a message that is to be sent later in a sandbox-like platform, and cancels only what waits", async () => {
    const { id } = await send({ send_at: new Date(Date.now() + 3_600_000).toISOString() });
    const path = `/v1/email-services/emailvendor/messages/${id}`;
    expect((await http.post(`${path}/cancel`, { token: owner.token, expect: 409 })).body.code).toBe(
      "message_not_changeable",
    );
    expect((await http.post(`${path}/resend`, { token: owner.token, expect: 409 })).body.code).toBe(
      "message_not_changeable",
    );
    await http.post(`${path}/resend`, { token: member.token, expect: 403 });
    for (const end of ["", "/cancel", "/resend"]) {
      expect((await http.post(`${path}${end}`, { token: other.token, expect: 404 })).body.code).toBe(
        "message_not_found",
      );
    }
  });
});
