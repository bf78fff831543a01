import * as z from "zod";
import { id } from "./common.ts";
import { defineContract } from "./contract.ts";
import {
  deviceToken,
  listedNotification,
  markedAsRead,
  markReadByIds,
  markReadByKeys,
  notificationLimits,
  notifyRequest,
  preferences,
  settingRequests,
  webNotification,
} from "./notification-bodies.ts";

const area = "notifications";

const accepted = z.object({
  accepted: z.int().describe("Requests."),
  ids: z.array(z.string()),
});

export const sendNotification = defineContract({
  operation: "sendNotification",
  area,
  method: "POST",
  path: "/v1/notifications/send",
  access: "user",
  summary: "Send to one device",
  description:
    "Sends a push notification to one device of a user of the organization, by the token that it was registered with. " +
    "The reply for a device of another organization, or whose session has ended, is that for an unknown one.",
  idempotent: true,
  request: { body: webNotification },
  replies: {
    200: {
      description: "It is on its way: `status` of the `push_message` record.",
      body: z.object({ id, status: z.string() }),
    },
  },
  faults: ["record_not_found", "vendor_not_configured"],
});

export const setNotificationToken = defineContract({
  operation: "setNotificationToken",
  area,
  method: "POST",
  path: "/v1/notifications/set-token",
  access: "user",
  summary: "Register this device",
  description:
    "Registers a device for push notifications, by a token of FCM or by a browser's push subscription. It belongs to " +
    `the session, and ends with it. A user has at most ${notificationLimits.devices} devices: a further one replaces the oldest. ` +
    "A token that another user had belongs to the caller from then on.",
  request: { body: deviceToken },
  replies: {
    200: {
      description: "The device is registered.",
      body: z.object({ id, tokens: z.int().describe("Devices of the user.") }),
    },
  },
  faults: ["dependency_unavailable"],
});

export const deleteNotificationToken = defineContract({
  operation: "deleteNotificationToken",
  area,
  method: "DELETE",
  path: "/v1/notifications/token/{id}",
  access: "user",
  summary: "Remove one of one's devices",
  request: { path: z.object({ id }) },
  replies: { 204: { description: "The device gets no more notifications." } },
  faults: ["record_not_found"],
});

export const sendNotifications = defineContract({
  operation: "sendNotifications",
  area,
  method: "POST",
  path: "/v1/notifications",
  access: "user",
  summary: "Tell what settings say",
  description:
    "Fires active `notification_setting` records: their recipients are told what their template makes of `data`. " +
    "The caller must be allowed to read settings, and the record of `record_id` for a setting with an `object`. An " +
    "unknown setting or record refuses all. `ids` are those of the firings, which notifications have as their `key`.",
  idempotent: true,
  request: { body: settingRequests },
  replies: { 202: { description: "They will be told.", body: accepted } },
  faults: ["forbidden"],
});

export const sendDynamicNotifications = defineContract({
  operation: "sendDynamicNotifications",
  area,
  method: "POST",
  path: "/v1/notifications/dynamic",
  access: "user",
  summary: "Tell users something",
  description:
    "Without a setting: to a user, to all active users with a role, or to the caller. An unknown user or role refuses all. `ids` are those of the " +
    `\`notification\` records, one for each request and user. One call tells at most ${notificationLimits.recipients} users.`,
  idempotent: true,
  request: { body: notifyRequest },
  replies: { 202: { description: "They will be told.", body: accepted } },
  faults: [],
});

export const markNotificationsRead = defineContract({
  operation: "markNotificationsRead",
  area,
  method: "POST",
  path: "/v1/notifications/mark-read",
  access: "user",
  summary: "Mark notifications as read",
  description: "Only one's own. Other ids are ignored.",
  request: { body: markReadByIds },
  replies: { 200: { description: "How many were unread.", body: markedAsRead } },
  faults: [],
});

export const markNotificationsReadByKeyValue = defineContract({
  operation: "markNotificationsReadByKeyValue",
  area,
  method: "POST",
  path: "/v1/notifications/mark-read-by-key-value",
  access: "user",
  summary: "Mark notifications about something as read",
  description:
    "One's own notifications whose `data` (or `record_id`) has all values of the object, or of one of the objects. " +
    '`{"key": "order", "value": 7}` means the same as `{"order": 7}`.',
  request: { body: markReadByKeys },
  replies: { 200: { description: "How many were unread.", body: markedAsRead } },
  faults: [],
});

export const listNotifications = defineContract({
  operation: "listNotifications",
  area,
  method: "GET",
  path: "/v1/notifications",
  access: "user",
  summary: "One's notifications",
  description: "Newest first.",
  request: {
    query: z.object({
      unread: z.stringbool().optional().describe("Only those that are not read."),
      limit: z.coerce.number().int().min(1).max(200).default(50).describe("The most notifications of a page."),
      cursor: id.optional().describe("`next_cursor` of the page before."),
    }),
  },
  replies: {
    200: {
      description: "The notifications.",
      body: z.object({
        notifications: z.array(listedNotification),
        unread_count: z.int().describe("At most 1,000 are counted."),
        next_cursor: id.optional().describe("Only if there are more."),
      }),
    },
  },
  faults: [],
});

const shownPreferences = preferences.extend({
  time_zone: z.string().describe("The user's, the organization's, or UTC: `user.time_zone` changes it."),
});

export const getNotificationPreferences = defineContract({
  operation: "getNotificationPreferences",
  area,
  method: "GET",
  path: "/v1/notifications/preferences",
  access: "user",
  summary: "What reaches one, and when",
  request: {},
  replies: { 200: { description: "The preferences.", body: shownPreferences } },
  faults: [],
});

export const setNotificationPreferences = defineContract({
  operation: "setNotificationPreferences",
  area,
  method: "PUT",
  path: "/v1/notifications/preferences",
  access: "user",
  summary: "Choose what reaches one, and when",
  description: "Replaces all preferences. Of a setting's channels only those are used that the user allows.",
  request: { body: preferences },
  replies: { 200: { description: "The preferences.", body: shownPreferences } },
  faults: [],
});
