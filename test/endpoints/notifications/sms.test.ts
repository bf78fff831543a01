import type { Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { databaseClient, http, invokeOperation, registerOrganization, type User } from "../../platform.ts";
import { messagesAreHandled } from "../../setup/outbox.ts";
import { twilioServer } from "../../vendors/twilio.ts";
import { recordsOf } from "../automation/triggers.ts";

const patience = { timeout: 120_000, interval: 100 };
const account = { account_sid: `AC${"0123456789abcdef".repeat(2)}`, auth_token: "twilio-auth-token-of-the-test" };

let owner: User;
let mongo: MongoClient;
let twilio: Awaited<ReturnType<typeof twilioServer>>;

const save = async (object: string, body: object): Promise<string> =>
  (await http.post(`/v1/object/${object}`, { token: owner.token, body, expect: 201 })).body.id;

const messages = () => recordsOf(owner, "sms_message");

/** Tells the owner, whose number this is, and waits for the end of the text message. */
const tell = async (phone: string, status: string) => {
  const before = (await messages()).length;
  await http.patch(`/v1/object/user/${owner.id}`, { token: owner.token, body: { phone }, expect: 200 });
  await http.post("/v1/notifications", { token: owner.token, body: [{ name: "By text" }], expect: 202 });
  await vi.waitFor(async () => {
    const all = await messages();
    expect(all).toHaveLength(before + 1);
    expect(all.at(-1)).toMatchObject({ status });
  }, patience);
  return (await messages()).at(-1) ?? {};
};

/** The vendor is asked now. Waits for the end of it. */
const ask = async (): Promise<void> => {
  const stored = mongo.db(owner.organizationId).collection<Document & { _id: string }>("sms_message");
  await stored.updateMany({ status: "sent" }, { $set: { "_delivery.poll_at": new Date(0) } });
  await invokeOperation("sweep-messages", {});
  await messagesAreHandled(owner);
};

beforeAll(async () => {
  mongo = await databaseClient();
  twilio = await twilioServer(account);
  owner = await registerOrganization();
  const credential = { name: "sms", kind: "smsvendor", provider: "twilio", base_url: twilio.url };
  await save("auth_credential", { ...credential, value: { ...account, from: "+15005550006" } });
  await save("notification_setting", { name: "By text", channels: ["sms"], recipients: { users: [owner.id] } });
});
afterAll(() => Promise.all([mongo.close(), twilio.close()]));

it("a text message is sent once, and asked for until it is delivered", async () => {
  const sent = await tell("+4930123456", "sent");
  expect(sent).toMatchObject({ vendor: "twilio", to: "+4930123456", message: "By text" });
  expect(twilio.messages).toMatchObject([{ to: "+4930123456", from: "+15005550006", body: "By text" }]);
  await ask();
  expect((await messages()).at(-1)).toMatchObject({ status: "sent" });
  twilio.settle("delivered");
  await ask();
  expect((await messages()).at(-1)).toMatchObject({ status: "delivered" });
  expect(twilio.messages).toHaveLength(1);
});

it("one that the network does not deliver has failed, with the vendor's reason", async () => {
  await tell("+4930123457", "sent");
  twilio.settle("undelivered", 30_003);
  await ask();
  expect((await messages()).at(-1)).toMatchObject({ status: "failed", error: expect.stringMatching(/30003/) });
});

it("a number that is not valid has failed at once; a cut connection is unknown and never repeated", async () => {
  expect(await tell("+49301230000", "failed")).toMatchObject({ error: expect.stringContaining("21211") });
  const seen = twilio.messages.length;
  twilio.failNext("cut");
  await tell("+4930123458", "unknown");
  await invokeOperation("sweep-messages", {});
  await messagesAreHandled(owner);
  expect(twilio.messages).toHaveLength(seen);
});
