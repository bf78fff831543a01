import { randomUUID } from "node:crypto";
import { ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";
import MailComposer from "nodemailer/lib/mail-composer/index.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Hold } from "../setup/database-proxy.ts";
import { newKeys, sendgridHeaders } from "../setup/webhooks.ts";
import { type Organization, register, save } from "./killed/organization.ts";
import { isIn, type KillablePlatform, launchKillable, step } from "./killed/platform.ts";

const QUEUE = "email-webhook";
const PDF = Buffer.from("%PDF-1.7\n1 0 obj\n");

let platform: KillablePlatform;

/** What a killed worker has left: mails, documents, and notes of files that the job looks at. */
type Left = readonly [mails: number, documents: number, notes: number];

interface Killed extends Organization {
  readonly contact: string;
  readonly left: Left;
  /** Of the entry in the outbox. */
  readonly entry: string;
}

/** The steps of a worker with a mail with two files, one for each organization. */
const mailSteps: Readonly<Record<string, { readonly hold: (id: string) => Hold; readonly left: Left }>> = {
  "before it reads the bytes": {
    hold: (id) => ({
      when: "after",
      is: (command) => isIn(id, "find", "_received_webhook")(command) && command.body.projection === undefined,
    }),
    left: [0, 0, 0],
  },
  "with the bytes": { hold: (id) => step.command("before", id, "findAndModify", "_inbound_mail"), left: [0, 0, 0] },
  "while it looks up the sender": { hold: (id) => step.command("after", id, "find", "contact"), left: [0, 0, 0] },
  "with the first file in the bucket": {
    hold: (id) => step.command("before", id, "insert", "document"),
    left: [0, 0, 1],
  },
  "with the first document": { hold: (id) => step.commit("after", id, "insert", "document"), left: [0, 1, 1] },
  "with both documents": { hold: (id) => step.command("before", id, "insert", "email_message"), left: [0, 2, 0] },
  "before the commit of the mail": {
    hold: (id) => step.commit("before", id, "insert", "email_message"),
    left: [0, 2, 0],
  },
  "after the commit of the mail": {
    hold: (id) => step.commit("after", id, "insert", "email_message"),
    left: [1, 2, 0],
  },
  "before it completes its entry": { hold: (id) => platform.completes("before", id, QUEUE), left: [1, 2, 0] },
  "before the acknowledgement": { hold: (id) => platform.completes("after", id, QUEUE), left: [1, 2, 0] },
};

/** Killed with a file in the bucket, and never delivered again. */
const GIVEN_UP = "with a file, for good";

/** The steps of a worker with events, one for each organization, and what is left: the entries of the message. */
const eventSteps: Readonly<Record<string, { readonly hold: (id: string) => Hold; readonly left: number }>> = {
  "before the commit of the events": {
    hold: (id) => step.commit("before", id, "update", "email_message"),
    left: 0,
  },
  "after the commit of the events": { hold: (id) => step.commit("after", id, "update", "email_message"), left: 3 },
  "before it completes its entry": { hold: (id) => platform.completes("before", id, QUEUE), left: 3 },
  "before the acknowledgement": { hold: (id) => platform.completes("after", id, QUEUE), left: 3 },
};

const killedMails = new Map<string, Killed>();
const killedEvents = new Map<
  string,
  Organization & { readonly message: string; readonly entry: string; readonly left: number }
>();

const count = (id: string, collection: string, filter: object = {}): Promise<number> =>
  platform.collection(id, collection).countDocuments(filter);

const post = async (organization: Organization, body: Buffer, type: string): Promise<void> => {
  const { keys, value } = newKeys();
  const credential = { name: "Mail", kind: "emailvendor", provider: "sendgrid" };
  await save(platform, organization, "auth_credential", { ...credential, value: { api_key: "SG.test", ...value } });
  const headers = { "content-type": type, ...sendgridHeaders(keys.sendgrid, body) };
  const path = `/v1/email-services/emailvendor/webhook/${organization.id}`;
  await platform.http().post(path, { raw: Uint8Array.from(body), headers, expect: 202 });
};

const CODE = `async def execute(context):
    await context.records.create("task", {"name": "A mail came"})
`;

const composed = (): Promise<Buffer> =>
  new MailComposer({
    from: "Ada Okoye <ada@customer.test>",
    to: "help@mail.acme.test",
    subject: "Two files",
    text: "See the files.",
    attachments: [
      { filename: "offer.pdf", content: PDF },
      { filename: "notes.txt", content: "Notes of the meeting" },
    ],
  })
    .compile()
    .build();

/** Sends a mail to a new organization, and waits until its worker is at the step. */
const receiveUntil = async (hold: (id: string) => Hold): Promise<Organization & { contact: string; entry: string }> => {
  const organization = await register(platform);
  const contact = await save(platform, organization, "contact", { name: "Ada Okoye", email: "ada@customer.test" });
  const trigger = { name: "Came", file_name: "came.py", object_api_name: "email_message", events: ["after_create"] };
  await save(platform, organization, "record_trigger", { ...trigger, mode: "async", code: CODE });
  const mail = await composed();
  const send = () => post(organization, mail, "message/rfc822");
  return {
    ...organization,
    contact,
    entry: await platform.heldAt(hold(organization.id), organization.id, QUEUE, send),
  };
};

const AT = 1_790_000_000;

/** Sends events of a message of a new organization, and waits until their worker is at the step. */
const reportUntil = async (hold: (id: string) => Hold): Promise<Organization & { message: string; entry: string }> => {
  const organization = await register(platform);
  const { id, user } = organization;
  const message = randomUUID();
  const owner = { id: user, schema: "user", name: "Olga Owner" };
  const at = { created_date: new Date(), modified_date: new Date(), created_by: owner, modified_by: owner };
  const to = ["ada@b.test", "bob@b.test"];
  await platform.collection(id, "email_message").insertOne({
    _id: message,
    id: message,
    name: "Hello",
    to,
    recipients: to.map((email) => ({ email, kind: "to", status: "sent" })),
    direction: "outbound",
    status: "sent",
    events: [],
    ...at,
    owner,
    shared_with: [],
    _readers: [`user:${user}`],
  });
  const eventOf = (event: string, after: number, email: string, fields: object = {}) => ({
    event,
    tenantry_id: message,
    tenantry_organization: id,
    sg_event_id: `${event}-${message}`,
    timestamp: AT + after,
    email,
    ...fields,
  });
  const events = [
    eventOf("delivered", 1, "ada@b.test"),
    eventOf("open", 2, "ada@b.test"),
    eventOf("bounce", 3, "bob@b.test", { type: "bounce", reason: "550 unknown" }),
  ];
  const send = () => post(organization, Buffer.from(JSON.stringify(events)), "application/json");
  return { ...organization, message, entry: await platform.heldAt(hold(id), id, QUEUE, send) };
};

const leftOf = async ({ id }: Organization): Promise<Left> => {
  const left = ["email_message", "document"].map((name) => count(id, name));
  const [mails = 0, documents = 0] = await Promise.all(left);
  return [mails, documents, await count("base", "file_sweep", { organization_id: id })];
};

beforeAll(async () => {
  platform = await launchKillable();
  const begun = [];
  for (const [name, { hold }] of Object.entries(mailSteps)) begun.push({ name, ...(await receiveUntil(hold)) });
  const withFile = (id: string): Hold => step.command("before", id, "insert", "document");
  begun.push({ name: GIVEN_UP, ...(await receiveUntil(withFile)) });
  const reported = [];
  for (const [name, { hold }] of Object.entries(eventSteps)) reported.push({ name, ...(await reportUntil(hold)) });
  await platform.kill();
  for (const one of begun) killedMails.set(one.name, { ...one, left: await leftOf(one) });
  for (const one of reported) {
    const stored = await platform.collection(one.id, "email_message").findOne({ _id: one.message });
    killedEvents.set(one.name, { ...one, left: stored?.events.length });
  }
  const all = [...killedMails.values(), ...killedEvents.values()];
  const ids = all.map(({ id }) => id);
  const lost = killedMails.get(GIVEN_UP);
  await platform.collection(lost?.id ?? "", "_outbox").deleteMany({ queue: QUEUE });
  await platform.restart(ids);
  for (const { id, entry } of all) await platform.deliver(QUEUE, id, entry);
  await platform.quiet(ids);
  await platform.collection("base", "file_sweep").updateMany({}, { $set: { at: new Date(0) } });
  await platform.invoke("sweep-files");
});
afterAll(() => platform?.stop());

const filesOf = async (organization: Organization): Promise<string[]> => {
  const Bucket = `tenantry-${platform.access().stage}-files-000000000000-us-east-1`;
  const Prefix = `documents/${organization.id}/`;
  const { Contents = [] } = await new S3Client(platform.sdk()).send(new ListObjectsV2Command({ Bucket, Prefix }));
  return Contents.map(({ Key = "" }) => Key.slice(Prefix.length)).toSorted();
};

test.each(Object.entries(mailSteps))(
  "a mail whose worker was killed %s is one record with its two files, and sets its trigger off once",
  async (name, { left }) => {
    const organization = killedMails.get(name);
    if (organization === undefined) throw new Error("It was not killed.");
    expect(organization.left).toEqual(left);
    const { id, contact } = organization;
    const mails = await platform.collection(id, "email_message").find().toArray();
    expect(mails).toMatchObject([{ subject: "Two files", status: "received", related_to: { id: contact } }]);
    const documents = await platform.collection(id, "document").find().sort({ name: 1 }).toArray();
    expect(documents.map((one) => [one.name, one.related_to.id])).toEqual([
      ["notes.txt", mails[0]?._id],
      ["offer.pdf", mails[0]?._id],
    ]);
    const attached = mails[0]?.attachments.map(({ document }: { document: string }) => document);
    expect(attached.toSorted()).toEqual(documents.map(({ _id }) => _id).toSorted());
    expect(await filesOf(organization)).toEqual(attached.toSorted());
    expect(await count("base", "file_sweep", { organization_id: id })).toBe(0);
    expect(await count(id, "task", { name: "A mail came" })).toBe(1);
    const webhooks = await platform.collection(id, "_received_webhook").find().toArray();
    expect(webhooks).toMatchObject([{ status: "processed", result: { email_message: mails[0]?._id } }]);
    expect(await count(id, "_outbox")).toBe(0);
  },
);

test("a file of a mail whose worker was killed and never came back is removed by the job", async () => {
  const organization = killedMails.get(GIVEN_UP);
  if (organization === undefined) throw new Error("It was not killed.");
  expect(organization.left).toEqual([0, 0, 1]);
  expect(await leftOf(organization)).toEqual([0, 0, 0]);
  expect(await filesOf(organization)).toEqual([]);
});

test.each(Object.entries(eventSteps))("events whose worker was killed %s count once", async (name, { left }) => {
  const organization = killedEvents.get(name);
  if (organization === undefined) throw new Error("It was not killed.");
  expect(organization.left).toBe(left);
  const { id, message } = organization;
  const stored = await platform.collection(id, "email_message").findOne({ _id: message });
  expect(stored).toMatchObject({
    status: "delivered",
    opens: 1,
    recipients: [{ status: "delivered" }, { status: "bounced" }],
  });
  expect(stored?.events.map(({ type }: { type: string }) => type)).toEqual(["delivered", "opened", "bounced"]);
  expect(await platform.collection(id, "email_suppression").find().toArray()).toMatchObject([
    { email: "bob@b.test", reason: "bounce" },
  ]);
  const webhooks = await platform.collection(id, "_received_webhook").find().toArray();
  expect(webhooks).toMatchObject([{ status: "processed", result: { applied: 3 } }]);
  expect(await count(id, "_outbox")).toBe(0);
});
