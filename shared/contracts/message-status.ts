import * as z from "zod";

/** The states of a message: docs/messages.md. */
export const messageStatus = z.enum([
  "queued",
  "sending",
  "sent",
  "delivered",
  "bounced",
  "dropped",
  "failed",
  "unknown",
  "captured",
  "suppressed",
  "scheduled",
  "cancelled",
  "received",
]);

export type MessageStatus = z.infer<typeof messageStatus>;
