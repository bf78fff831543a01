/** What is done with the bodies of webhooks. */
import * as z from "zod";
import { defineMessage } from "./queue.ts";

export const emailWebhookMessage = defineMessage({
  queue: "email-webhook",
  summary: "Reads what an email vendor has sent: events of messages, or a received mail.",
  payload: z.object({ webhook_id: z.string() }),
});
