import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { databaseClient, http, registerOrganization, type User } from "../../platform.ts";
import { expr, inRow, node, run, saveAutomation } from "../../setup/automations.ts";
import { sandboxSteps } from "../../setup/sandboxes.ts";
import { vapidKeys, webPushServer } from "../../vendors/web-push.ts";
import { runBody } from "../automation/functions.ts";

/** Counts whoever calls it: a vendor that a sandbox must not reach. */
const startCounter = async () => {
  const calls: string[] = [];
  const server = createServer((request, response) => {
    calls.push(`${request.method} ${request.url}`);
    response.writeHead(202).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { calls, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop: () => server.close() };
};

const vapid = vapidKeys();
let mongo: MongoClient;
let vendor: Awaited<ReturnType<typeof startCounter>>;
let push: Awaited<ReturnType<typeof webPushServer>>;
let owner: User;
/** The owner in the sandbox. */
let inside: User;

const post = async (path: string, body: unknown, expected: number) =>
  (await http.post(path, { token: inside.token, body, expect: expected })).body;

/** The sandbox has vendors of its own, which an administrator has added there. */
const addVendors = async (): Promise<void> => {
  const twilio = { account_sid: `AC${"1".repeat(32)}`, auth_token: "token", from: "+4930999999" };
  const credentials = [
    { kind: "emailvendor", provider: "sendgrid", base_url: vendor.origin, value: { api_key: "SG.key" } },
    { kind: "smsvendor", provider: "twilio", base_url: vendor.origin, value: twilio },
    { kind: "pushvendor", provider: "webpush", base_url: push.url, value: vapid },
  ];
  for (const credential of credentials) {
    await post("/v1/object/auth_credential", { name: credential.provider, ...credential }, 201);
  }
};

beforeAll(async () => {
  [mongo, vendor, push, owner] = await Promise.all([
    databaseClient(),
    startCounter(),
    webPushServer(vapid),
    registerOrganization("Captured"),
  ]);
  const steps = sandboxSteps(http);
  const { id } = await steps.create(owner.token, "quiet");
  inside = { ...owner, token: await steps.enter(owner.token, id), organizationId: id };
  await addVendors();
  await mongo
    .db(id)
    .collection<{ _id: string }>("user")
    .updateOne({ _id: owner.id }, { $set: { phone: "+4930123456" } });
});
afterAll(async () => {
  vendor.stop();
  await Promise.all([mongo.close(), push.close()]);
});

const messageObjects = ["email_message", "sms_message", "push_message"] as const;

const stored = async () => {
  const all = await Promise.all(
    messageObjects.map((object) => mongo.db(inside.organizationId).collection(object).find().toArray()),
  );
  return all.flat();
};

const isQuiet = async (): Promise<boolean> => {
  const database = mongo.db(inside.organizationId);
  const waiting = await database.collection("_outbox").countDocuments({ status: { $ne: "failed" } });
  const scheduled = (await stored()).some(({ status }) => ["scheduled", "queued", "sending"].includes(status));
  return waiting === 0 && !scheduled;
};

test("whatever a sandbox sends is kept, and no vendor is called", async () => {
  const soon = () => new Date(Date.now() + 2_000).toISOString();
  const email = {
    to_emails: ["ada@example.com"],
    from_email: "sales@example.com",
    subject: "Hi",
    plain_text_content: "Hi",
  };
  const send = "/v1/email-services/emailvendor/send";
  await post(send, email, 200);
  await post(send, { ...email, send_at: soon() }, 200);
  await post(send, { ...email, to_emails: ["a@example.com", "b@example.com"], category: "list" }, 200);
  const { id: device } = await post("/v1/notifications/set-token", push.subscribe(), 200);
  await post("/v1/notifications/send", { message: { token: device, data: { title: "Direct" } } }, 200);
  await post("/v1/notifications/dynamic", { title: "Now", push_to_mobile: true }, 202);
  await post("/v1/notifications/dynamic", { title: "Soon", push_to_mobile: true, send_at: soon() }, 202);
  const setting = {
    name: "Leads",
    channels: ["in_app", "push", "email", "sms"],
    recipients: { users: [inside.id] },
    object: "lead",
    events: ["create"],
  };
  const { id: leads } = await post("/v1/object/notification_setting", setting, 201);
  await post("/v1/notifications", [{ id: leads, data: { note: "by hand" } }], 202);
  await post("/v1/object/lead", { name: "Grace" }, 201);
  await runBody(
    inside,
    "await platform.communications.send_email({'to_emails': ['ada@example.com'], 'subject': 'F', 'plain_text_content': 'F'})\n" +
      "await platform.communications.send_sms('+49 30 123456', 'F')\n" +
      "await platform.communications.notifications.notify([{'title': 'F', 'push_to_mobile': True}])",
  );
  const automation = await saveAutomation(
    inside,
    inRow([
      node("mail", "send_email", { to: ["ada@example.com"], subject: "A", text: "A" }),
      node("tell", "notify", { title: expr("'A'"), body: "A" }),
    ]),
  );
  await run(inside, automation);

  await expect.poll(isQuiet, { timeout: 240_000, interval: 200 }).toBe(true);
  expect(vendor.calls).toEqual([]);
  expect(push.received).toEqual([]);
  const all = await stored();
  expect(all.map(({ status }) => status)).toEqual(all.map(() => "captured"));
  for (const object of messageObjects) {
    const kept = await mongo.db(inside.organizationId).collection(object).countDocuments();
    expect({ object, isKept: kept > 0 }).toEqual({ object, isKept: true });
  }
  const { body } = await http.get(`/v1/query?${new URLSearchParams({ q: "SELECT id FROM email_message" })}`, {
    token: inside.token,
    expect: 200,
  });
  // Two by the route at once and later, two of the list, two by the setting, one each by the function and automation.
  expect(body.records).toHaveLength(8);
});
