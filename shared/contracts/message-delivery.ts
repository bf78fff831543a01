/** How messages travel: the queue of what is to be sent. */
import * as z from "zod";
import { defineMessage } from "./queue.ts";

/** Objects whose records go to a vendor, one call each. */
export const messageObjects = ["email_message", "sms_message", "push_message"] as const;

export type MessageObject = (typeof messageObjects)[number];

export const deliverMessage = defineMessage({
  queue: "deliver-message",
  summary: "Gives a message to its vendor.",
  payload: z.object({ object: z.enum(messageObjects), id: z.string() }),
});
