import { rmSync } from "node:fs";
import { GetQueueAttributesCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { type Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { type HttpClient, httpClient } from "../setup/http-client.ts";
import { type LaunchedPlatform, launchPlatform } from "../setup/launch-platform.ts";
import { readMails } from "../setup/mailbox.ts";
import { temporaryDirectory } from "./run.ts";

const patience = { timeout: 120_000, interval: 100 };
const dataDir = temporaryDirectory();

let launched: LaunchedPlatform;
let http: HttpClient;
let mongo: MongoClient;
let token: string;
let organization: string;

beforeAll(async () => {
  launched = await launchPlatform({
    bundles: inject("platform").bundles,
    passwordHashes: "weak",
    dataDir,
    context: { mailSender: "no-reply@platform.example", platformMessages: { email: { daily: 100 } } },
    vendors: { email: { provider: "ses" } },
  });
  http = httpClient(launched.access.url);
  mongo = await new MongoClient(launched.access.mongoUri).connect();
  const email = "owner@events.example.test";
  const body = { organization_name: "Events", email, password: "correct horse battery staple" };
  const registered = (await http.post("/v1/register", { body, expect: 201 })).body;
  token = registered.access_token;
  organization = registered.organization_id;
  const holders = mongo.db("base").collection<Document & { _id: string }>("domain_holder");
  await holders.insertOne({ _id: "events.example.test", organization_id: organization, since: new Date() });
});
afterAll(async () => {
  await mongo.close();
  await launched.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const send = async (...to_emails: string[]): Promise<string> => {
  const body = { to_emails, subject: "Hello", plain_text_content: "Hi" };
  return (await http.post("/v1/email-services/emailvendor/send", { token, body, expect: 200 })).body.id;
};

const message = async (id: string): Promise<Document> =>
  (await http.get(`/v1/object/email_message/${id}`, { token, expect: 200 })).body;

const eventTypes = async (id: string): Promise<string[]> =>
  [...new Set<string>((await message(id)).events.map(({ type }: Document) => type))].toSorted();

const suppressions = async (): Promise<string[]> =>
  (await http.get("/v1/object/email_suppression", { token, expect: 200 })).body.map(
    ({ email, reason }: Document) => `${email} ${reason}`,
  );

/** The events that SES has reported. */
const listed = async (): Promise<Document[]> =>
  (await http.get("/v1/email-services/emailvendor/webhooks", { token, expect: 200 })).body.webhooks;

it("SES reports that a mail of the platform's account was delivered, and the report is listed for administrators", async () => {
  const id = await send("ada@example.com");
  await expect.poll(async () => (await message(id)).status, patience).toBe("delivered");
  expect(await message(id)).toMatchObject({ recipients: [{ email: "ada@example.com", status: "delivered" }] });
  const [mail] = readMails(launched.access.mailDirectory, "ada@example.com");
  expect(mail?.headers.from).toContain("<no-reply@platform.example>");
  const done = async () => (await listed()).filter(({ status }) => status === "processed").length;
  await expect.poll(done, patience).toBe(2);
  for (const webhook of await listed()) {
    expect(webhook).toMatchObject({ kind: "events", signature: "ses", result: { events: 1, applied: 1, unknown: 0 } });
  }
});

it("a bounce that SES reports is recorded, and suppresses the address for all mail", async () => {
  const address = "bounce+1@simulator.amazonses.com";
  const id = await send(address);
  await expect.poll(async () => (await message(id)).status, patience).toBe("bounced");
  expect(await message(id)).toMatchObject({
    recipients: [{ email: address, status: "bounced", reason: "smtp; 550 5.1.1 user unknown" }],
  });
  expect(await suppressions()).toContain(`${address} bounce`);
  const again = await send(address);
  await expect.poll(async () => (await message(again)).status, patience).toBe("suppressed");
});

it("a complaint that SES reports suppresses the address, and the mail stays delivered", async () => {
  const address = "complaint@simulator.amazonses.com";
  const id = await send(address, "bob@example.com");
  await expect.poll(() => eventTypes(id), patience).toContain("complained");
  await expect.poll(async () => (await message(id)).status, patience).toBe("delivered");
  const about = async () => (await suppressions()).filter((one) => !one.startsWith("bounce"));
  expect(await about()).toEqual([`${address} complaint`]);
});

const queues = (): { sqs: SQSClient; url: (name: string) => string } => {
  const { awsEndpoint, region, credentials, stage } = launched.access;
  const sqs = new SQSClient({ endpoint: awsEndpoint, region, credentials });
  return { sqs, url: (name) => `${awsEndpoint}/000000000000/tenantry-${stage}-${name}` };
};

const sesEvent = (id: string, messageId: string, eventType: string, rest: object): string => {
  const tags = { tenantry_id: [id], tenantry_organization: [organization] };
  const mail = { timestamp: "2026-11-22T10:00:00.000Z", messageId, destination: ["ada@example.com"], tags };
  return JSON.stringify({ eventType, mail, ...rest });
};

it("an event of SES that comes three times counts once, and one of another mail changes nothing", async () => {
  const id = await send("ada@example.com");
  await expect.poll(async () => (await message(id)).status, patience).toBe("delivered");
  const { sqs, url } = queues();
  const { vendor_message_id: messageId } = await message(id);
  const delayedRecipients = [{ emailAddress: "ada@example.com", diagnosticCode: "smtp; 451 later" }];
  const deliveryDelay = { delayType: "MailboxFull", delayedRecipients, timestamp: "2026-11-22T10:00:05.000Z" };
  const reported = sesEvent(id, messageId, "DeliveryDelay", { deliveryDelay });
  const foreign = sesEvent(id, "another", "Reject", { reject: { reason: "Bad content" } });
  for (const MessageBody of [foreign, reported, reported, reported]) {
    await sqs.send(new SendMessageCommand({ QueueUrl: url("ses-event"), MessageBody }));
  }
  const waiting = async (): Promise<number> => {
    const asked = { QueueUrl: url("ses-event"), AttributeNames: ["All" as const] };
    const { Attributes = {} } = await sqs.send(new GetQueueAttributesCommand(asked));
    const names = ["", "Delayed", "NotVisible"].map((kind) => `ApproximateNumberOfMessages${kind}`);
    return names.reduce((sum, name) => sum + Number(Attributes[name as keyof typeof Attributes]), 0);
  };
  await expect.poll(waiting, patience).toBe(0);
  await expect.poll(async () => (await listed()).map(({ status }) => status), patience).not.toContain("queued");
  const { events, status } = await message(id);
  expect(events.filter(({ type }: Document) => type === "deferred")).toMatchObject([{ detail: "smtp; 451 later" }]);
  expect(events.filter(({ type }: Document) => type === "dropped")).toEqual([]);
  expect(status).toBe("delivered");
});

it("what is no event of SES becomes a dead letter", async () => {
  const { sqs, url } = queues();
  await sqs.send(new SendMessageCommand({ QueueUrl: url("ses-event"), MessageBody: "no JSON" }));
  const dead = async () => {
    const QueueUrl = url("ses-event-dead-letters");
    const AttributeNames = ["ApproximateNumberOfMessages" as const];
    return (await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }))).Attributes;
  };
  await expect.poll(dead, patience).toEqual({ ApproximateNumberOfMessages: "1" });
});
