import type { ClientSession } from "mongodb";
import { ensureFirstIndexes } from "#shared/data/schema/schema";
import { getFile } from "#shared/foundation/aws/s3";
import { Fault } from "#shared/foundation/faults";
import { log } from "#shared/foundation/log";
import type { TenantDatabase } from "#shared/tenant/tenant";
import { applyEvents } from "../events/apply-events.ts";
import { readEvents } from "../events/read-events.ts";
import { type OnReceived, receiveMail } from "../inbound/receive-mail.ts";
import { unreadable } from "../inbound/unreadable.ts";
import { ensureWebhookIndexes, type StoredWebhook, webhooksOf } from "./stored-webhook.ts";

const LARGEST = 6_000_000;

const markProcessed = async (
  database: TenantDatabase,
  _id: string,
  result: NonNullable<StoredWebhook["result"]>,
  session?: ClientSession,
): Promise<void> => {
  const change = { $set: { status: "processed" as const, result }, $unset: { error: "" as const } };
  await webhooksOf(database).updateOne({ _id }, change, session === undefined ? {} : { session });
};

const jsonOf = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch (error) {
    throw unreadable("The body is not valid JSON.", error);
  }
};

const processEvents = async (
  database: TenantDatabase,
  { _id, signature }: StoredWebhook,
  body: Buffer,
): Promise<void> => {
  const { events, ignored } = readEvents(jsonOf(body), { id: _id, isSes: signature === "ses" });
  const { applied, unknown } = await applyEvents(database, events);
  await markProcessed(database, _id, { events: events.length, applied, unknown, ignored });
};

const processMail = async (
  database: TenantDatabase,
  { _id, content_type: contentType }: StoredWebhook,
  body: Buffer,
  onReceived: OnReceived,
): Promise<void> => {
  const alongside = (session: ClientSession, email_message: string) =>
    markProcessed(database, _id, { email_message }, session);
  const received = await receiveMail(database, { body, contentType, alongside, onReceived });
  if (received === null) await markProcessed(database, _id, {});
};

/**
 * Does what a stored webhook says, also again. Raises `unreadable_webhook`, and then says so in the list of webhooks; a
 * redrive tries again.
 */
export const processWebhook = async (
  database: TenantDatabase,
  webhookId: string,
  onReceived: OnReceived,
): Promise<void> => {
  await ensureFirstIndexes(database, "email_message");
  await ensureWebhookIndexes(database);
  const webhooks = webhooksOf(database);
  const webhook = await webhooks.findOne({ _id: webhookId });
  if (webhook === null || webhook.status === "processed") return;
  const stored = await getFile(webhook.key, { max: LARGEST });
  if (stored === undefined) throw new Error(`The body ${webhook.key} of a webhook is gone.`);
  const body = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength);
  try {
    if (webhook.kind === "events") await processEvents(database, webhook, body);
    else await processMail(database, webhook, body, onReceived);
  } catch (error) {
    if (error instanceof Fault && error.code === "unreadable_webhook") {
      const facts = { organization: database.organization_id, webhook: webhookId, key: webhook.key };
      log.error({ ...facts, err: error }, "a webhook cannot be read");
      await webhooks.updateOne({ _id: webhookId }, { $set: { status: "failed", error: error.message } });
    }
    throw error;
  }
};
