import { createHash } from "node:crypto";
import { emailWebhookMessage } from "#contracts/webhook-messages";
import { putFile } from "#shared/foundation/aws/s3";
import { elapsedMillis, now, nowMillis } from "#shared/foundation/clock";
import { isDuplicateKey } from "#shared/foundation/duplicate-key";
import { Fault } from "#shared/foundation/faults";
import { type VerifiedBody, verifiedBody } from "#shared/foundation/webhooks/webhook-signatures";
import {
  addToOutbox,
  countPublicAttempt,
  delayRefusal,
  isGated,
  messageFor,
  openWithState,
  sandboxRefreshing,
  type TenantDatabase,
} from "#shared/tenant/tenant";
import { type StoredWebhook, WEBHOOK_KEPT_MS, webhooksOf } from "./stored-webhook.ts";
import { webhookKeys } from "./webhook-keys.ts";

/** A vendor sends a thousand events in one body. */
const limits = { perTarget: 1_200, perAddress: 6_000, refusal: { code: "too_many_webhooks" } } as const;

export interface IncomingWebhook {
  readonly organization_id: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
  readonly contentType: string;
  /** The IP address of the sender. */
  readonly address: string;
}

const hashOf = (...parts: readonly (string | Uint8Array)[]): string => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part).update("\0");
  return hash.digest("hex");
};

/** The vendor's id, or what is signed: a body that is sent twice is one webhook. */
const idOf = ({ kind, id, timestamp }: VerifiedBody, body: Buffer): string =>
  id === undefined ? hashOf(kind, timestamp, body) : hashOf(kind, id);

const openOpen = async (organizationId: string): Promise<TenantDatabase | null> => {
  const opened = await openWithState(organizationId);
  if (opened === null || opened.state.status === "deleting") return null;
  if (isGated(opened.state.status)) throw sandboxRefreshing();
  return opened.database;
};

interface Opened {
  readonly database: TenantDatabase;
  readonly verified: VerifiedBody;
}

/** The organization, and what is verified about the body. An unknown organization takes the work of a known one. */
const verify = async ({ organization_id, headers, body }: IncomingWebhook): Promise<Opened | Fault> => {
  const database = await openOpen(organization_id);
  const keys = database === null ? { sendgrid: [], standard: [] } : await webhookKeys(database);
  const verified = verifiedBody({ headers, body }, keys);
  if (database === null) return new Fault("organization_not_found");
  return verified === null ? new Fault("invalid_signature") : { database, verified };
};

/**
 * Stores what an email vendor has sent, and queues it. A repetition changes nothing. Raises `organization_not_found`
 * and `invalid_signature` after the same time, `too_many_webhooks`, `sandbox_refreshing` and `dependency_unavailable`.
 */
export const receiveWebhook = async (incoming: IncomingWebhook): Promise<void> => {
  const start = elapsedMillis();
  const { organization_id, body, contentType, address } = incoming;
  await countPublicAttempt(address, ["webhook", organization_id], limits);
  const opened = await verify(incoming);
  if (opened instanceof Fault) {
    await delayRefusal(start);
    throw opened;
  }
  const { database, verified } = opened;
  const webhooks = webhooksOf(database);
  const _id = idOf(verified, body);
  if ((await webhooks.findOne({ _id }, { projection: { _id: 1 } })) !== null) return;
  const key = `webhooks/${organization_id}/${_id}`;
  try {
    await putFile(key, body, { type: "application/octet-stream" });
  } catch (cause) {
    const headers = { "retry-after": "30" };
    throw new Fault("dependency_unavailable", {
      message: "The body could not be stored; send it again.",
      headers,
      cause,
    });
  }
  const webhook: StoredWebhook = {
    _id,
    received_at: now(),
    kind: /^\s*application\/json\b/i.test(contentType) ? "events" : "mail",
    signature: verified.kind,
    content_type: contentType.slice(0, 300),
    size: body.length,
    key,
    status: "queued",
    expires_at: new Date(nowMillis() + WEBHOOK_KEPT_MS),
  };
  try {
    await database.transaction(async (session) => {
      await webhooks.insertOne(webhook, { session });
      await addToOutbox(database, session, [messageFor(emailWebhookMessage, { webhook_id: _id })]);
    });
  } catch (error) {
    // The same webhook at the same time.
    if (!isDuplicateKey(error)) throw error;
  }
};
