import { log } from "#shared/foundation/log";
import { hashOf, openForWebhooks, storeWebhook } from "./store-webhook.ts";

/**
 * Stores an event of SES as if its organization had received it by a webhook, and queues it. Only SES can send to the
 * queue that it comes from, so that it has no signature. A repetition changes nothing. Raises `sandbox_refreshing` and
 * `dependency_unavailable`.
 */
export const receiveSesEvent = async (organizationId: string | undefined, text: string): Promise<void> => {
  const database = organizationId === undefined ? null : await openForWebhooks(organizationId);
  if (database === null) {
    log.warn({ organization: organizationId }, "an event of SES is for no organization");
    return;
  }
  const body = Buffer.from(text);
  await storeWebhook(database, {
    _id: hashOf("ses", body),
    signature: "ses",
    contentType: "application/json",
    body,
  });
};
