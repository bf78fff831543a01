/** What is done with the bodies of webhooks. */
import * as z from "zod";
import { defineMessage } from "./queue.ts";

export const emailWebhookMessage = defineMessage({
  queue: "email-webhook",
  summary: "Reads what an email vendor has sent: events of messages, or a received mail.",
  payload: z.object({ webhook_id: z.string() }),
});

/**
 * What SES reports about a mail of an organization that the platform's account has sent. The tags name the organization
 * and the record; the rest is read later, as a vendor's webhook is.
 * https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html
 */
export const sesEventMessage = defineMessage({
  queue: "ses-event",
  summary: "Stores what SES reports about mails of organizations, and queues it.",
  scope: "aws",
  payload: z.looseObject({
    eventType: z.string(),
    mail: z.looseObject({ tags: z.record(z.string(), z.array(z.string())).default({}) }),
  }),
});
