import { GetQueueUrlCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { Document } from "mongodb";
import { expect } from "vitest";
import {
  awsSettings,
  databaseClient,
  holdSenderDomain,
  http,
  invokeOperation,
  stage,
  type User,
} from "../../platform.ts";
import type { SendGrid } from "../../vendors/sendgrid.ts";
import { contextCall, plantExecution } from "../automation/functions.ts";

type Holder = Pick<User, "id" | "email" | "token" | "organizationId">;

export const patience = { timeout: 120_000, interval: 100 };

/** Saves the credential of a vendor, and gives its id. */
export const connect = async (
  user: Pick<User, "token" | "email" | "organizationId">,
  kind: "emailvendor" | "smsvendor" | "pushvendor",
  provider: string,
  value: object,
  fields: object = {},
): Promise<string> => {
  if (kind === "emailvendor") await holdSenderDomain(user);
  const body = { name: provider, kind, provider, value, ...fields };
  return (await http.post("/v1/object/auth_credential", { token: user.token, body, expect: 201 })).body.id;
};

export const connectSendGrid = (
  user: Pick<User, "token" | "email" | "organizationId">,
  { apiKey, origin }: SendGrid,
): Promise<string> => connect(user, "emailvendor", "sendgrid", { api_key: apiKey }, { base_url: origin });

/** Sends an email as running code does, and gives its id and status. */
export const send = async (
  user: Holder,
  request: Record<string, unknown> = {},
): Promise<{ id: string; status: string }> => {
  const { token } = await plantExecution(user);
  const whole = { to_emails: ["ada@example.com"], subject: "Hello", plain_text_content: "Hi", ...request };
  const { status, body } = await contextCall(token, "communications.send_email", [whole]);
  expect(status, JSON.stringify(body)).toBe(200);
  return body.result;
};

// biome-ignore lint/suspicious/noExplicitAny: a record is whatever the platform says; tests assert on its parts.
type Message = any;

export const messageOf = async ({ token }: Pick<User, "token">, id: string, object = "email_message") =>
  (await http.get(`/v1/object/${object}/${id}`, { token, expect: 200 })).body as Message;

/** Waits until a message has one of these statuses, and gives it. */
export const settled = async (
  user: Pick<User, "token">,
  id: string,
  statuses: readonly string[] = ["sent", "failed", "unknown", "captured"],
  object = "email_message",
): Promise<Message> => {
  await expect
    .poll(async () => (await messageOf(user, id, object)).status, patience)
    .toSatisfy((status: string) => statuses.includes(status));
  return messageOf(user, id, object);
};

/** Lets the schedule of an email fire, and gives what the scheduled work answers. */
export const fireSchedule = ({ organizationId: organization }: Pick<User, "organizationId">, id: string) =>
  invokeOperation("run-scheduled", {
    organization,
    kind: "message",
    id: `email_message/${id}`,
    revision: "1",
    scheduled_time: new Date().toISOString(),
  });

/** Reads or writes the database of an organization. */
export const withDatabase = async <T>(
  organizationId: string,
  work: (db: { collection: (name: string) => import("mongodb").Collection<Document & { _id: string }> }) => Promise<T>,
): Promise<T> => {
  const client = await databaseClient();
  try {
    const db = client.db(organizationId);
    return await work({ collection: (name) => db.collection<Document & { _id: string }>(name) });
  } finally {
    await client.close();
  }
};

/** The stored message with the state of its delivery. */
export const storedMessage = (organizationId: string, id: string, object = "email_message") =>
  withDatabase(organizationId, ({ collection }) => collection(object).findOne({ _id: id }));

/** Lets the time come of everything that waits: attempts, leases and circuits. Then the job visits. */
export const passTime = async (organizationId: string, object = "email_message"): Promise<void> => {
  const past = new Date(Date.now() - 1_000);
  await withDatabase(organizationId, async ({ collection }) => {
    await collection(object).updateMany(
      { "_delivery.next_attempt_at": { $exists: true } },
      { $set: { "_delivery.next_attempt_at": past } },
    );
    await collection(object).updateMany(
      { "_delivery.lease": { $exists: true } },
      { $set: { "_delivery.lease.until": past } },
    );
    await collection("_vendor_circuit").updateMany({ open_until: { $exists: true } }, { $set: { open_until: past } });
  });
  await invokeOperation("sweep-messages", {});
};

const sqs = new SQSClient(awsSettings);
let queueUrl: Promise<string> | undefined;

/** Delivers an entry of the outbox once more. */
export const deliverAgain = async (organizationId: string, entry: string): Promise<void> => {
  queueUrl ??= sqs
    .send(new GetQueueUrlCommand({ QueueName: `tenantry-${stage}-deliver-message` }))
    .then(({ QueueUrl = "" }) => QueueUrl);
  const MessageBody = JSON.stringify({ organization: organizationId, id: entry });
  await sqs.send(new SendMessageCommand({ QueueUrl: await queueUrl, MessageBody, MessageGroupId: organizationId }));
};

/** Another entry of the outbox for a message, as if it had been sent before. Gives its id. */
export const plantEntry = (organizationId: string, id: string, entry: string, object = "email_message") =>
  withDatabase(organizationId, async ({ collection }) => {
    await collection("_outbox").insertOne({
      _id: entry,
      queue: "deliver-message",
      payload: JSON.stringify({ object, id }),
      created: new Date(),
      status: "sent",
      attempts: 0,
    });
    return entry;
  });

export const statusesOf = ({ events }: Message): string[] => events.map(({ type }: { type: string }) => type);
