/** The messages that notifications are told by. */
import * as z from "zod";
import { actor } from "./actor.ts";
import { channels } from "./notification-bodies.ts";
import { defineMessage } from "./queue.ts";

const reference = z.object({ id: z.string(), schema: z.literal("user"), name: z.string() });

const record = z.record(z.string(), z.unknown());

export const notifySetting = defineMessage({
  queue: "notify-setting",
  summary: "Tells the recipients of a notification setting.",
  payload: z.object({
    setting_id: z.string(),
    by: reference.describe("Who has asked for it, or has written the records."),
    firings: z
      .array(
        z.object({
          id: z.string().describe("The `key` of the notifications."),
          data: record,
          record_id: z.string().optional(),
          /** Of a write: the record as it was written, and before. */
          record: record.optional(),
          old: record.optional(),
          operation: z.enum(["create", "update", "delete"]).optional(),
        }),
      )
      .max(500),
    /** The firing and the recipient after which the work goes on. */
    after: z.object({ firing: z.int(), user: z.string() }).optional(),
  }),
});

export type NotifySetting = z.output<(typeof notifySetting)["payload"]>;

const content = z.object({
  title: z.string(),
  body: z.string(),
  html: z.string().optional(),
  type: z.string(),
  url: z.string().optional(),
  data: record,
  record_id: z.string().optional(),
  urgent: z.boolean(),
  setting: z.object({ id: z.string(), name: z.string() }).optional(),
});

export const deliverNotification = defineMessage({
  queue: "deliver-notification",
  summary: "Sends a notification over the channels of its recipients.",
  payload: z.object({
    by: reference,
    content,
    channels: z.array(z.enum(channels)),
    /** Devices that push reaches. */
    platforms: z.array(z.enum(["web", "ios", "android"])),
    digest: z.enum(["none", "hourly", "daily"]),
    /** Of a summary, which preferences were applied to before. */
    decided: z.boolean().default(false),
    send_at: z.iso.datetime().optional(),
    actor: actor.optional().describe("Whoever has chosen `send_at`. They are checked when it is delivered."),
    recipients: z
      .array(
        z.object({
          user: z.string(),
          notification: z.string().optional().describe("The record of it."),
          window: z.string().optional().describe("Of a summary: the window that its notifications were in."),
        }),
      )
      .describe("Whom it is for."),
  }),
});

export type DeliverNotification = z.output<(typeof deliverNotification)["payload"]>;
export type NotificationContent = DeliverNotification["content"];
