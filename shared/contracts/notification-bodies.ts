import * as z from "zod";
import { id, timestamp } from "./common.ts";
import { line } from "./messages.ts";

export const notificationLimits = {
  /** Of one call. */
  requests: 500,
  /** Whom one call of `dynamic` tells. */
  recipients: 1_000,
  /** Characters. */
  title: 200,
  body: 10_000,
  /** Of `data`, as JSON. */
  dataBytes: 16 * 1024,
  /** Of a user. */
  devices: 20,
  /** Of preferences. */
  types: 100,
} as const;

export const channels = ["in_app", "push", "email", "sms"] as const;
export type Channel = (typeof channels)[number];

const DEEPEST = 20;

/** Keys that MongoDB reads as operators or paths, and `__proto__`, are refused. */
const isPlain = (value: unknown, depth = 0): boolean => {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  if (depth === DEEPEST) return false;
  if (Array.isArray(value)) return value.every((item) => isPlain(item, depth + 1));
  return Object.entries(value).every(
    ([key, item]) => key !== "" && key !== "__proto__" && !/^\$|[.\0]/.test(key) && isPlain(item, depth + 1),
  );
};

/** Browsers ignore spaces and control characters in schemes. */
const RUNS = /^(?:javascript|vbscript|data|blob|file):/i;

/** Whether an app may open it: an address, a path, or a link into an app, and nothing that runs in the page. */
const isLink = (text: string): boolean => !RUNS.test(text.replace(/[\p{Cc}\s]/gu, ""));

const NO_LINK = "Expected a link that runs nothing: not javascript:, vbscript:, data:, blob: or file:.";

const data = z
  .record(z.string(), z.unknown())
  .refine(({ url }) => typeof url !== "string" || isLink(url), { path: ["url"], error: NO_LINK })
  .refine((value) => isPlain(value), "Expected keys without dots and not beginning with $, at most 20 levels.")
  .refine(
    (value) => Buffer.byteLength(JSON.stringify(value)) <= notificationLimits.dataBytes,
    `Expected at most ${notificationLimits.dataBytes} bytes of JSON.`,
  );

const notificationType = line(60);

const dynamicNotification = z
  .strictObject({
    title: line(notificationLimits.title),
    body: z.string().trim().max(notificationLimits.body).default(""),
    type: notificationType.default("dynamic").describe("What preferences and mutes of users go by."),
    user_id: id.optional().describe("Whom to tell; by default the caller."),
    role_id: id.optional().describe("Tells all active users with this role."),
    data: data.default({}).describe("For the app that shows it. `url` is opened by a click."),
    record_id: id.optional().describe("The record that it is about."),
    save: z.boolean().default(true).describe("Whether it stays in the list of notifications."),
    notify: z.boolean().default(true).describe("Whether browsers show it at once."),
    push_to_mobile: z.boolean().default(false).describe("Whether phones show it at once."),
    urgent: z.boolean().default(false).describe("Passes quiet hours."),
    send_at: z.coerce.date().optional().describe("When to tell; at most a year ahead. At once by default."),
  })
  .meta({ id: "DynamicNotificationRequest" });

export const notifyRequest = z
  .union([dynamicNotification, z.array(dynamicNotification).min(1).max(notificationLimits.requests)])
  .transform((one) => (Array.isArray(one) ? one : [one]));

export const settingRequests = z
  .array(
    z
      .strictObject({
        id: id.optional(),
        name: z.string().min(1).max(255).optional().describe("The `api_name` or the `name` of the setting."),
        data: data.default({}).describe("For the template and the condition of the setting."),
        record_id: id.optional().describe("The record that it is about, if the setting has an `object`."),
      })
      .refine((one) => (one.id === undefined) !== (one.name === undefined), "Expected either `id` or `name`.")
      .meta({ id: "SendNotificationSetting" }),
  )
  .min(1)
  .max(notificationLimits.requests);

const scalar = z.union([z.string().max(1_000), z.number(), z.boolean()]);
const filterKey = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, "Expected a name of letters, digits, underscores and hyphens.")
  .refine((key) => key !== "__proto__", "This key is not allowed.");

const keyAndValue = z.strictObject({ key: filterKey, value: scalar }).transform(({ key, value }) => ({ [key]: value }));
const byKeys = z
  .record(filterKey, scalar)
  .refine((keys) => Object.keys(keys).length >= 1 && Object.keys(keys).length <= 20, "Expected 1 to 20 keys.")
  .refine((keys) => Object.keys(keys).sort().join() !== "key,value", "Expected the name of a key, and its value.");
const byFilter = z.union([keyAndValue, byKeys]);

export const markReadByIds = z
  .array(id)
  .min(1)
  .max(1_000)
  .transform((ids) => ({ ids }));

/** What `data` and `record_id` of notifications have to be: all keys of one of the filters. */
export const markReadByKeys = z.union([
  z
    .array(byFilter)
    .min(1)
    .max(100)
    .transform((filters) => ({ filters })),
  byFilter.transform((filter) => ({ filters: [filter] })),
]);

export const markReadRequest = z.union([markReadByIds, markReadByKeys]);

export const markedAsRead = z.object({ message: z.string(), updated: z.int() }).meta({ id: "MarketAsReadResponse" });

/** The keys of a browser's push subscription, in base64url. */
const subscriptionKeys = z.looseObject({
  p256dh: z.string().regex(/^[A-Za-z0-9_-]{87,88}={0,2}$/, "Expected 65 bytes in base64url."),
  auth: z.string().regex(/^[A-Za-z0-9_-]{22,24}={0,2}$/, "Expected 16 bytes in base64url."),
});

const endpoint = z
  .string()
  .max(2_000)
  .refine((text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    // Outside of tests the platform calls nothing but https.
    return url !== undefined && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
  }, "Expected the URL of a push service.");

export const deviceToken = z
  .looseObject({
    token: z.string().min(1).max(4_096).optional().describe("Of FCM, for phones and browsers."),
    endpoint: endpoint.optional().describe("With `keys`: a browser's push subscription (RFC 8030)."),
    keys: subscriptionKeys.optional(),
    platform: z
      .enum(["web", "ios", "android"])
      .optional()
      .describe("`android` by default; of a subscription always `web`."),
    device_name: z.string().trim().max(100).optional(),
  })
  .refine(
    (one) => (one.token === undefined) !== (one.endpoint === undefined || one.keys === undefined),
    "Expected either `token`, or `endpoint` and `keys`.",
  );

const shortText = (max: number) => z.string().max(max);
const link = shortText(2_000).refine(isLink, NO_LINK);

export const webNotification = z
  .strictObject({
    message: z.strictObject({
      token: z.string().min(1).max(4_096).describe("A token, the endpoint of a subscription, or the id of a device."),
      data: z.strictObject({
        title: line(notificationLimits.title),
        body: shortText(2_000).default(""),
        url: link.optional(),
        icon: shortText(2_000).optional(),
        image: shortText(2_000).optional(),
        tag: shortText(100).optional().describe("A later notification with the same tag replaces this one."),
        tab: shortText(200).optional(),
        sound: shortText(200).optional(),
      }),
    }),
  })
  .meta({ id: "WebNotification" });

const clockTime = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, "Expected a time such as 22:30.");

export const preferences = z
  .strictObject({
    channels: z
      .array(
        z.strictObject({
          type: notificationType.describe("A type of notifications; `*` stands for all that are not listed."),
          channels: z.array(z.enum(channels)).max(channels.length).describe("The only ones for this type."),
        }),
      )
      .max(notificationLimits.types)
      .refine((list) => new Set(list.map(({ type }) => type)).size === list.length, "Expected each type once.")
      .default([]),
    muted: z.array(notificationType).max(notificationLimits.types).default([]).describe("Types that are not told."),
    quiet_hours: z
      .strictObject({ from: clockTime, to: clockTime })
      .refine(({ from, to }) => from !== to, "Expected two different times.")
      .nullable()
      .default(null)
      .describe("In the user's time zone. What comes then is told when they end, unless it is urgent."),
    digest_time: clockTime.default("08:00").describe("When daily digests are sent, in the user's time zone."),
  })
  .meta({ id: "NotificationPreferences" });

export type Preferences = z.output<typeof preferences>;

const delivery = z.object({
  channel: z.enum(channels),
  status: z.string(),
  object: z.string().optional(),
  id: z.string().optional(),
  reason: z.string().optional(),
});

export const listedNotification = z
  .object({
    id,
    title: z.string(),
    body: z.string(),
    type: z.string(),
    url: z.string().nullable(),
    data: z.record(z.string(), z.unknown()),
    record_id: z.string().nullable(),
    urgent: z.boolean(),
    read: z.boolean(),
    read_date: timestamp.nullable(),
    deliveries: z.array(delivery),
    created_date: timestamp,
  })
  .meta({ id: "Notification" });

export type NotifyRequest = z.output<typeof notifyRequest>;
export type SettingRequests = z.output<typeof settingRequests>;
export type MarkReadRequest = z.output<typeof markReadRequest>;
export type DeviceToken = z.output<typeof deviceToken>;
export type WebNotification = z.output<typeof webNotification>;
export type ListedNotification = z.output<typeof listedNotification>;
