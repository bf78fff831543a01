import { createHash } from "node:crypto";
import { emailWebhookMessage } from "#contracts/webhook-messages";
import { putFile } from "#shared/foundation/aws/s3";
import { now, nowMillis } from "#shared/foundation/clock";
import { isDuplicateKey } from "#shared/foundation/duplicate-key";
import { Fault } from "#shared/foundation/faults";
import {
  addToOutbox,
  isGated,
  messageFor,
  openWithState,
  sandboxRefreshing,
  type TenantDatabase,
} from "#shared/tenant/tenant";
import { type StoredWebhook, WEBHOOK_KEPT_MS, webhooksOf } from "./stored-webhook.ts";

export const hashOf = (...parts: readonly (string | Uint8Array)[]): string => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part).update("\0");
  return hash.digest("hex");
};

/** Null if there is no such organization, or no longer. Raises `sandbox_refreshing`. */
export const openForWebhooks = async (organizationId: string): Promise<TenantDatabase | null> => {
  const opened = await openWithState(organizationId);
  if (opened === null || opened.state.status === "deleting") return null;
  if (isGated(opened.state.status)) throw sandboxRefreshing();
  return opened.database;
};

interface Verified extends Pick<StoredWebhook, "_id" | "signature"> {
  readonly contentType: string;
  readonly body: Buffer;
}

/** Stores what was verified, and queues it. A repetition changes nothing. Raises `dependency_unavailable`. */
export const storeWebhook = async (
  database: TenantDatabase,
  { _id, signature, contentType, body }: Verified,
): Promise<void> => {
  const webhooks = webhooksOf(database);
  if ((await webhooks.findOne({ _id }, { projection: { _id: 1 } })) !== null) return;
  const key = `webhooks/${database.organization_id}/${_id}`;
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
    signature,
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
