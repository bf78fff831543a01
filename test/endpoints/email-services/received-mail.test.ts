import { randomBytes, randomUUID } from "node:crypto";
import MailComposer from "nodemailer/lib/mail-composer/index.js";
import { beforeAll, describe, expect, it } from "vitest";
import { databaseClient, http, registerOrganization, type User } from "../../platform.ts";
import { zipOf } from "../../setup/hostile-mail.ts";
import { messagesAreHandled } from "../../setup/outbox.ts";
import {
  formOf,
  registerWithEmailVendor,
  sendgrid,
  settled,
  type VendorKeys,
  webhooksOf,
} from "../../setup/webhooks.ts";
import { addTrigger, recordsOf, triggerLogs } from "../automation/triggers.ts";

let owner: User;
let keys: VendorKeys;

beforeAll(async () => {
  ({ owner, keys } = await registerWithEmailVendor());
});

const lines = (...all: string[]): string => all.join("\r\n");

interface MailOptions {
  readonly id?: string;
  readonly from?: string;
  readonly headers?: readonly string[];
  readonly text?: string;
}

const mail = ({
  id = randomUUID(),
  from = "ada@customer.test",
  headers = [],
  text = "Hello.",
}: MailOptions = {}): string =>
  lines(
    `From: Ada Okoye <${from}>`,
    "To: Help <help@mail.acme.test>",
    "Subject: A question",
    `Message-ID: <${id}@customer.test>`,
    "Date: Mon, 16 Nov 2026 10:00:00 +0000",
    ...headers,
    "",
    text,
  );

let sent = 0;

/** Sends a mail, and gives the record that it became; undefined if it became none. */
const receive = async (
  body: Uint8Array | string,
  type = "message/rfc822",
  [who, with_]: [User, VendorKeys] = [owner, keys],
) => {
  const before = (await webhooksOf(who)).length;
  sent += 1;
  // Within one second the same body would be the same webhook.
  const late = (sent % 2) * 60;
  expect((await sendgrid(who, with_, body, { type, late })).status).toBe(202);
  const [webhook] = await settled(who, before + 1);
  expect(webhook).toMatchObject({ kind: "mail", status: "processed" });
  const id = webhook?.result?.email_message;
  if (id === undefined) return undefined;
  return (await http.get(`/v1/object/email_message/${id}`, { token: who.token, expect: 200 })).body;
};

describe("a received mail", () => {
  it("becomes a record that is linked to the contact with its address", async () => {
    const person = { name: "Ada Okoye", email: "ada@customer.test" };
    const contact = (await http.post("/v1/object/contact", { token: owner.token, body: person, expect: 201 })).body;
    const id = randomUUID();
    expect(await receive(mail({ id }))).toMatchObject({
      name: "A question",
      subject: "A question",
      from_email: "ada@customer.test",
      from_name: "Ada Okoye",
      to_email: "help@mail.acme.test",
      to: ["help@mail.acme.test"],
      text: expect.stringContaining("Hello."),
      direction: "inbound",
      status: "received",
      message_id: `${id}@customer.test`,
      is_auto_reply: false,
      related_to: { id: contact.id, schema: "contact", name: "Ada Okoye" },
      owner: { id: owner.id },
      events: [{ type: "received" }],
    });
  });

  it("is recorded once, however often it comes and by whatever webhook", async () => {
    const raw = mail();
    const first = await receive(raw);
    expect(first).toBeDefined();
    expect(await receive(`${raw}`, "message/rfc822; charset=utf-8")).toBeUndefined();
    const other = await receive(raw.replace("Hello.", "Another text with the same id."));
    expect(other?.id).not.toBe(first?.id);
  });

  it("of SendGrid's form, raw or parsed, has what the vendor says about it", async () => {
    const id = randomUUID();
    const facts = {
      envelope: JSON.stringify({ to: ["help@mail.acme.test"], from: "bounce@customer.test" }),
      dkim: "{@customer.test : pass}",
      SPF: "pass",
      spam_score: "1.2",
      sender_ip: "203.0.113.9",
    };
    const authentication = {
      spf: "pass",
      dkim: [{ domain: "customer.test", result: "pass" }],
      spam_score: 1.2,
      sender_ip: "203.0.113.9",
    };
    const raw = formOf({ ...facts, email: mail({ id }) });
    expect(await receive(raw.body, raw.type)).toMatchObject({ message_id: `${id}@customer.test`, authentication });
    const parsed = formOf({
      ...facts,
      headers:
        mail({ id: `${id}p`, headers: ["Content-Type: multipart/mixed; boundary=x"] }).split("\r\n\r\n")[0] ?? "",
      charsets: JSON.stringify({ text: "iso-8859-1", html: "utf-8" }),
      text: Buffer.from("Gr\u00fc\u00dfe", "latin1"),
      html: "<p>Gr\u00fc\u00dfe</p>",
    });
    expect(await receive(parsed.body, parsed.type)).toMatchObject({
      message_id: `${id}p@customer.test`,
      from_email: "ada@customer.test",
      subject: "A question",
      text: "Gr\u00fc\u00dfe",
      authentication,
    });
  });

  it("belongs to the thread of the mail that it answers", async () => {
    const id = randomUUID();
    const first = await receive(mail({ id }));
    const answer = await receive(mail({ headers: [`In-Reply-To: <${id}@customer.test>`] }));
    const far = await receive(mail({ headers: [`References: <x@y.test> <${answer?.message_id}> <unknown@z.test>`] }));
    expect(first?.thread_id).toBe(first?.id);
    expect([answer?.thread_id, far?.thread_id]).toEqual([first?.id, first?.id]);
    expect(answer).toMatchObject({ in_reply_to: `${id}@customer.test` });
  });

  it("with a reply address that nobody has signed begins a thread of its own", async () => {
    const first = await receive(mail());
    const token = "0".repeat(42);
    const forged = mail().replace("help@mail.acme.test", `reply+${token}@mail.acme.test`);
    const record = await receive(forged);
    expect(record?.thread_id).toBe(record?.id);
    expect(record?.thread_id).not.toBe(first?.id);
  });

  it("from a program says so", async () => {
    for (const header of [
      "Auto-Submitted: auto-replied",
      "Precedence: bulk",
      "X-Auto-Response-Suppress: All",
      "Return-Path: <>",
    ])
      expect((await receive(mail({ headers: [header] })))?.is_auto_reply).toBe(true);
    expect((await receive(mail({ headers: ["Auto-Submitted: no"] })))?.is_auto_reply).toBe(false);
  });

  it("has HTML without scripts, and a text that is made from it", async () => {
    const html = `<p onclick="a()">Hello <script>alert(1)</script><img src=x onerror=alert(2)><a href="javascript:b()">link</a></p>`;
    const record = await receive(mail({ headers: ["Content-Type: text/html"], text: html }));
    expect(record?.body).toContain("Hello");
    expect(record?.body).not.toMatch(/script|onclick|onerror|alert/i);
    expect(record?.text).toContain("Hello");
    expect(record?.text).not.toContain("alert");
  });

  it("has at most 524,288 characters of HTML and says that it was cut, also if only its safe form is longer", async () => {
    const cut = "Its content was cut at 524288 characters.";
    const html = `<p>Begin</p>${"<a>".repeat(80_000)}`;
    const longer = await receive(mail({ headers: ["Content-Type: text/html"], text: html }));
    expect(longer).toMatchObject({ error: cut, status: "received" });
    expect(longer?.body.length).toBeLessThanOrEqual(524_288);
    expect([longer?.body.startsWith("<p>Begin</p><a "), longer?.body.endsWith("</a>")]).toEqual([true, true]);
    const long = await receive(mail({ text: "lines of text\r\n".repeat(40_000) }));
    expect(long).toMatchObject({ error: cut });
    expect(long?.text.length).toBeLessThanOrEqual(524_288);
    const indented = "<ul><li>".repeat(50) + "<br>a".repeat(80_000);
    const text = await receive(mail({ headers: ["Content-Type: text/html"], text: indented }));
    expect(text).toMatchObject({ error: cut });
    expect(text?.text.length).toBeLessThanOrEqual(524_288);
  });

  it("beyond the limits of a mail is recorded without its content", async () => {
    const many = Array.from({ length: 10_000 }, (_, index) => `X-Header-${index}: ${index}`);
    const record = await receive(mail({ headers: many }));
    expect(record).toMatchObject({ from_email: "ada@customer.test", text: null, status: "received" });
    expect(record?.error).toContain("more than");
  });
});

describe("the indexes of messages", () => {
  const names = async ({ organizationId }: User, object: string): Promise<string[]> => {
    const client = await databaseClient();
    const indexes = await client.db(organizationId).collection(object).indexes();
    await client.close();
    return indexes.map(({ name = "" }) => name);
  };

  it("are there after the first webhook of an organization, whose first record of them is a received mail", async () => {
    const { owner: fresh, keys: own } = await registerWithEmailVendor();
    await receive(mail(), undefined, [fresh, own]);
    expect(await names(fresh, "email_message")).toEqual(
      expect.arrayContaining([
        "tenantry_status+id",
        "tenantry_vendor_message_id+id",
        "tenantry_message_id+id",
        "tenantry_thread_id+id",
        "from_email_1_direction_1",
      ]),
    );
  });

  it("are there after the first accepted email and notification", async () => {
    const fresh = await registerOrganization();
    const { token, email: from_email } = fresh;
    const mail_settings = { sandbox_mode: { enable: true } };
    const body = { to_emails: ["a@customer.test"], from_email, subject: "Hi", plain_text_content: "Hi", mail_settings };
    await http.post("/v1/email-services/emailvendor/send", { token, body, expect: 200 });
    await http.post("/v1/notifications/dynamic", { token, body: { title: "Hi" }, expect: 202 });
    expect(await names(fresh, "email_message")).toContain("tenantry_message_id+id");
    expect(await names(fresh, "notification")).toContain("tenantry_key+id");
  });
});

describe("files of a received mail", () => {
  const composed = (attachments: object[]): Promise<Buffer> =>
    new MailComposer({
      from: "ada@customer.test",
      to: "help@mail.acme.test",
      subject: "Files",
      html: "<p>See the <b>files</b>.</p>",
      attachments,
    })
      .compile()
      .build();

  it("become documents, but for programs, archives with programs, and what is not accepted", async () => {
    const pdf = Buffer.from("%PDF-1.7\n1 0 obj\n");
    const program = Buffer.concat([Buffer.from("MZ"), randomBytes(100)]);
    const record = await receive(
      await composed([
        { filename: "offer.pdf", content: pdf },
        { filename: "invoice.pdf.exe", content: pdf },
        { filename: "holiday.jpg", content: program },
        { filename: "page.html", content: "<script>alert(1)</script>" },
        { filename: "clean.zip", content: zipOf("a.txt") },
        { filename: "tools.zip", content: zipOf("readme.txt", "bin/setup.EXE") },
        { filename: "nested.zip", content: zipOf("inner.zip") },
        { filename: "report.docx", content: zipOf("[Content_Types].xml", "word/vbaProject.bin") },
        { filename: "a.rar", content: Buffer.from("Rar!\x1a\x07\x01\x00") },
        { filename: "\u202egpj.txt", content: "plain" },
      ]),
    );
    const files = record?.attachments as { filename: string; document?: string; refused?: string; type: string }[];
    expect(files.map(({ filename, document, refused }) => [filename, refused ?? typeof document])).toEqual([
      ["offer.pdf", "string"],
      ["invoice.pdf.exe", "It is a program."],
      ["holiday.jpg", "It is a program."],
      ["page.html", "HTML, SVG, XML and scripts are not accepted."],
      ["clean.zip", "string"],
      ["tools.zip", "The archive holds a program."],
      ["nested.zip", "The archive holds another archive."],
      ["report.docx", "The document holds macros."],
      ["a.rar", "The archive cannot be checked."],
      ["gpj.txt", "string"],
    ]);
    const content = await http.get(`/v1/documents/${files[0]?.document}/content`, { token: owner.token, expect: 200 });
    expect(content.headers.get("content-disposition")).toContain("attachment");
    const document = await http.get(`/v1/object/document/${files[0]?.document}`, { token: owner.token, expect: 200 });
    expect(document.body).toMatchObject({ name: "offer.pdf", related_to: { id: record?.id, schema: "email_message" } });
    expect(record?.text).toContain("See the files.");
  });
});

describe("record triggers of received mails", () => {
  it("run after the creation, and not for a loop", async () => {
    const { owner: third, keys: own } = await registerWithEmailVendor();
    const body = "for r in context.new_map.values():\n    context.log(r['subject'] + ' ' + r['from_email'])";
    await addTrigger(third, "received", body, { events: ["after_create"], object: "email_message", mode: "async" });
    await receive(mail(), undefined, [third, own]);
    await messagesAreHandled(third);
    expect(await triggerLogs(third)).toMatchObject([
      { status: "completed", lines: [{ message: "A question ada@customer.test" }] },
    ]);
    const hourNow = (): number => Math.floor(Date.now() / 3_600_000);
    /** The records of 61 mails, of which one is too many. Sends them again if an hour has ended meanwhile. */
    const flood = async (from = "robot@customer.test"): Promise<Record<string, unknown>[]> => {
      const hour = hourNow();
      const mails = Array.from({ length: 61 }, (_, index) => mail({ from, text: String(index) }));
      const replies = await Promise.all(mails.map((one) => sendgrid(third, own, one, { type: "message/rfc822" })));
      expect(replies.every(({ status }) => status === 202)).toBe(true);
      await messagesAreHandled(third);
      const records = (await recordsOf(third, "email_message")).filter(({ from_email }) => from_email === from);
      return hour === hourNow() ? records : flood("another-robot@customer.test");
    };
    const records = await flood();
    expect(records).toHaveLength(61);
    expect(records.flatMap(({ error }) => error ?? [])).toEqual(["Its sender has sent too many mails in this hour."]);
    const logs = JSON.stringify(await triggerLogs(third));
    expect(logs.split(`A question ${records[0]?.from_email}`)).toHaveLength(61);
  });

  it("are refused where they could refuse the mail", async () => {
    const code = "async def execute(context):\n    pass\n";
    const trigger = (fields: object) => ({
      name: "t",
      file_name: `t${randomBytes(3).toString("hex")}.py`,
      code,
      object_api_name: "email_message",
      ...fields,
    });
    const post = (fields: object, expect_: number) =>
      http.post("/v1/object/record_trigger", { token: owner.token, body: trigger(fields), expect: expect_ });
    await post({ events: ["before_create"], mode: "sync" }, 422);
    await post({ events: ["after_create"], mode: "sync" }, 422);
    await post({ events: ["after_update"], mode: "async" }, 422);
  });
});
