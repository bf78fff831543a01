import type { Document } from "mongodb";
import type { NotificationContent } from "#contracts/notification-messages";
import { LONGEST_NAME } from "#shared/tenant/tenant";
import type { Device } from "./devices.ts";
import { type Recipient, referenceTo } from "./users.ts";

/** Longest text that a push notification shows; the whole payload of Web Push has 4 KB. */
const LONGEST_BODY = 1_000;
/** Of the app's own data, as JSON. */
const MOST_DATA = 1_500;

/** What every push message to a device says of it. */
export const deviceFields = (title: string, device: Device, user: Pick<Recipient, "_id" | "name">): Document => ({
  name: title.slice(0, LONGEST_NAME),
  user: referenceTo(user),
  device_id: device.id,
  platform: device.platform,
  ...(device.transport && { transport: device.transport }),
  title,
});

/** The fields of the push message of a notification to one device. */
export const pushFields = (
  { title, body, url, data, type, record_id, urgent }: NotificationContent,
  device: Device,
  user: Pick<Recipient, "_id" | "name">,
  notification: string | undefined,
): Document => ({
  ...deviceFields(title, device, user),
  body: body.length > LONGEST_BODY ? `${body.slice(0, LONGEST_BODY - 1)}…` : body,
  data: {
    ...(Buffer.byteLength(JSON.stringify(data)) <= MOST_DATA && data),
    type,
    ...(url !== undefined && Buffer.byteLength(url) <= MOST_DATA && { url }),
    ...(record_id !== undefined && { record_id }),
    ...(notification !== undefined && { notification_id: notification }),
    ...(urgent && { urgent }),
  },
  ...(notification !== undefined && {
    notification: { id: notification, schema: "notification", name: title.slice(0, LONGEST_NAME) },
  }),
});

/** Characters of a text message: ten parts. */
const LONGEST_SMS = 1_530;

/** The fields of the text message of a notification. */
export const smsFields = (to: string, { title, body, url }: NotificationContent): Document => {
  const text = [title, body, url].filter((part) => part !== undefined && part !== "").join("\n");
  const message = text.length > LONGEST_SMS ? `${text.slice(0, LONGEST_SMS - 1)}…` : text;
  return { name: title.slice(0, LONGEST_NAME), to, message, direction: "outbound" };
};
