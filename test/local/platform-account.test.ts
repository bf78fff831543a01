import { rmSync } from "node:fs";
import { type Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { type HttpClient, httpClient } from "../setup/http-client.ts";
import { type LaunchedPlatform, launchPlatform } from "../setup/launch-platform.ts";
import { newKeys, sendgridHeaders, type VendorKeys } from "../setup/webhooks.ts";
import { type SendGrid, startSendGrid } from "../vendors/sendgrid.ts";
import { twilioServer } from "../vendors/twilio.ts";
import { temporaryDirectory } from "./run.ts";

const patience = { timeout: 120_000, interval: 100 };
const account = { account_sid: `AC${"0123456789abcdef".repeat(2)}`, auth_token: "twilio-auth-token-of-the-test" };
const dataDir = temporaryDirectory();

let launched: LaunchedPlatform;
let http: HttpClient;
let mongo: MongoClient;
let mails: SendGrid;
let texts: Awaited<ReturnType<typeof twilioServer>>;
let keys: VendorKeys;

beforeAll(async () => {
  [mails, texts] = await Promise.all([startSendGrid(), twilioServer(account)]);
  const pair = newKeys();
  keys = pair.keys;
  launched = await launchPlatform({
    bundles: inject("platform").bundles,
    passwordHashes: "weak",
    dataDir,
    context: {
      withoutVendor: "refuse",
      platformMessages: { email: { daily: 2, plans: ["pro"] }, sms: { daily: 2, countries: ["DE", "AT"] } },
    },
    vendors: {
      email: { provider: "sendgrid", base_url: mails.origin, api_key: mails.apiKey, ...pair.value },
      sms: { provider: "twilio", base_url: texts.url, ...account, from: "+15005550006" },
    },
  });
  http = httpClient(launched.access.url);
  mongo = await new MongoClient(launched.access.mongoUri).connect();
});
afterAll(async () => {
  await mongo.close();
  await launched.stop();
  await Promise.all([mails.stop(), texts.close()]);
  rmSync(dataDir, { recursive: true, force: true });
});

interface Owner {
  readonly token: string;
  readonly id: string;
  readonly organization: string;
}

/** An organization with a plan and a proven domain, and without accounts of its own. */
const register = async (name: string, plan = "pro"): Promise<Owner> => {
  const email = `owner@${name}.example.test`;
  const body = { organization_name: name, email, password: "correct horse battery staple" };
  const { access_token: token, organization_id: organization } = (
    await http.post("/v1/register", { body, expect: 201 })
  ).body;
  const holders = mongo.db("base").collection<Document & { _id: string }>("domain_holder");
  await holders.insertOne({ _id: `${name}.example.test`, organization_id: organization, since: new Date() });
  const organizations = mongo.db(organization).collection<Document & { _id: string }>("organization");
  await organizations.updateOne({ _id: organization }, { $set: { "billing.plan": plan } });
  const id: string = JSON.parse(Buffer.from(token.split(".")[1], "base64url").toString()).sub;
  return { token, id, organization };
};

/** The records of an object when all of them have come to an end, the oldest first. */
const ended = async ({ token }: Owner, object: string, count: number): Promise<Document[]> => {
  const list = async (): Promise<Document[]> =>
    (await http.get(`/v1/object/${object}`, { token, query: { limit: 100 }, expect: 200 })).body;
  const isEnded = (all: Document[]): boolean =>
    all.length === count && all.every(({ status }) => status !== "queued" && status !== "sending");
  await expect.poll(async () => isEnded(await list()), patience).toBe(true);
  return (await list()).toSorted((a, b) => (a.created_date < b.created_date ? -1 : 1));
};

const send = async ({ token }: Owner): Promise<string> => {
  const body = { to_emails: ["ada@example.com"], subject: "Hello", plain_text_content: "Hi" };
  return (await http.post("/v1/email-services/emailvendor/send", { token, body, expect: 200 })).body.id;
};

/** Counts what the platform's account has sent for tomorrow too, so that midnight (UTC) changes nothing. */
const countForTomorrow = async ({ organization }: Owner, object: string, expected: number): Promise<void> => {
  const usage = mongo.db(organization).collection<Document & { _id: string }>("_vendor_usage");
  const counted = await usage.find().toArray();
  expect(counted.reduce((sum, { messages }) => sum + messages, 0)).toBe(expected);
  for (const time of [Date.now(), Date.now() + 24 * 60 * 60_000]) {
    const _id = `${object}/${new Date(time).toISOString().slice(0, 10)}`;
    await usage.updateOne({ _id }, { $set: { messages: expected } }, { upsert: true });
  }
};

const webhook = (organization: string, body: string, key: VendorKeys) =>
  http.post(`/v1/email-services/emailvendor/webhook/${organization}`, {
    raw: body,
    headers: { "content-type": "application/json", ...sendgridHeaders(key.sendgrid, body) },
  });

it("the platform's account sends as many emails of an organization a day as the setting says", async () => {
  const [owner, other] = [await register("many"), await register("few")];
  for (const count of [1, 2, 3]) {
    await send(owner);
    await ended(owner, "email_message", count);
    if (count === 2) await countForTomorrow(owner, "email_message", 2);
  }
  const sent = await ended(owner, "email_message", 3);
  expect(sent.map(({ status }) => status)).toEqual(["sent", "sent", "failed"]);
  expect(sent[2]?.error).toBe("The platform's account sends 2 messages of an organization a day, and no more.");
  await send(other);
  expect(await ended(other, "email_message", 1)).toMatchObject([{ status: "sent" }]);
  const organizations = mails.calls.map(({ body }) => body.personalizations[0].custom_args.tenantry_organization);
  expect(organizations).toEqual([owner.organization, owner.organization, other.organization]);

  // The next day, in UTC.
  await mongo.db(owner.organization).collection("_vendor_usage").deleteMany({});
  await send(owner);
  expect((await ended(owner, "email_message", 4)).at(-1)).toMatchObject({ status: "sent" });
});

it("the platform's account sends nothing for an organization whose plan the setting does not name", async () => {
  const { token } = await register("free", "free");
  const body = { to_emails: ["ada@example.com"], subject: "Hello", plain_text_content: "Hi" };
  const refused = await http.post("/v1/email-services/emailvendor/send", { token, body, expect: 409 });
  expect(refused.body.code).toBe("vendor_not_configured");
});

it("the platform's account sends text messages to the countries of the setting, up to its number a day", async () => {
  const owner = await register("texts");
  const { token } = owner;
  const setting = { name: "By text", channels: ["sms"], recipients: { users: [owner.id] } };
  await http.post("/v1/object/notification_setting", { token, body: setting, expect: 201 });
  for (const [index, phone] of ["+33612345678", "+4930123456", "+4317654321", "+4930123457"].entries()) {
    await http.patch(`/v1/object/user/${owner.id}`, { token, body: { phone }, expect: 200 });
    await http.post("/v1/notifications", { token, body: [{ name: "By text" }], expect: 202 });
    await ended(owner, "sms_message", index + 1);
    if (index === 2) await countForTomorrow(owner, "sms_message", 2);
  }
  const all = await ended(owner, "sms_message", 4);
  expect(all.map(({ to, status }) => `${to} ${status}`)).toEqual([
    "+33612345678 failed",
    "+4930123456 sent",
    "+4317654321 sent",
    "+4930123457 failed",
  ]);
  expect(all[0]?.error).toBe("The platform's account sends no text messages to FR.");
  expect(all[3]?.error).toBe("The platform's account sends 2 messages of an organization a day, and no more.");
  expect(texts.messages.map(({ to }) => to)).toEqual(["+4930123456", "+4317654321"]);
});

it("the platform's key signs webhooks of organizations without an account of their own, and of no others", async () => {
  const owner = await register("reports");
  const id = await send(owner);
  const [message] = await ended(owner, "email_message", 1);
  const facts = { tenantry_id: id, tenantry_organization: owner.organization, email: "ada@example.com" };
  const named = { sg_event_id: "1", sg_message_id: `${message?.vendor_message_id}.filter` };
  const event = { event: "delivered", ...facts, ...named, timestamp: Math.floor(Date.now() / 1000) };
  const body = JSON.stringify([event]);
  expect((await webhook(owner.organization, body, newKeys().keys)).status).toBe(401);
  expect((await webhook(owner.organization, body, keys)).status).toBe(202);
  const status = async () => (await ended(owner, "email_message", 1))[0]?.status;
  await expect.poll(status, patience).toBe("delivered");

  const own = newKeys();
  const value = { api_key: "SG.own", ...own.value };
  const credential = { name: "Own", kind: "emailvendor", provider: "sendgrid", base_url: mails.origin, value };
  await http.post("/v1/object/auth_credential", { token: owner.token, body: credential, expect: 201 });
  const later = JSON.stringify([{ ...event, event: "open", sg_event_id: "2" }]);
  expect((await webhook(owner.organization, later, keys)).status).toBe(401);
  expect((await webhook(owner.organization, later, own.keys)).status).toBe(202);
});
