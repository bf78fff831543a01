import { v7 as uuidv7 } from "uuid";
import type { Actor } from "#contracts/actor";
import type { Channel } from "#contracts/notification-bodies";
import { deliverNotification, type NotificationContent } from "#contracts/notification-messages";
import { now } from "#shared/foundation/clock";
import { LONGEST_NAME, messageFor, type NewRecord, newRecord, type TenantDatabase } from "#shared/tenant/tenant";
import type { UserReference } from "../capture.ts";
import { allowedChannels, type Digest } from "./decide.ts";
import { preferencesOf } from "./preferences.ts";
import { type Recipient, referenceTo } from "./users.ts";

type OutboxMessage = ReturnType<typeof messageFor>;

/** The same for all of its recipients. */
export interface Telling {
  readonly content: NotificationContent;
  readonly channels: readonly Channel[];
  readonly platforms: readonly ("web" | "ios" | "android")[];
  readonly digest: Digest;
  readonly by: UserReference;
  /** Whether a record is kept. */
  readonly save: boolean;
  /** When to tell, and who says so. */
  readonly later?: { readonly send_at: Date; readonly actor: Actor } | undefined;
  readonly key?: string | undefined;
  /** Why its text is not what it should be. */
  readonly problem?: string | undefined;
}

export interface NewNotifications {
  readonly records: NewRecord[];
  readonly messages: OutboxMessage[];
}

/** Recipients of one message. Their deliveries are one transaction. */
const AT_ONCE = 50;

const channelField = (allowed: readonly Channel[]): string => {
  if (allowed.length === 0 || allowed.includes("in_app")) return "web";
  return allowed[0] ?? "web";
};

/** What became of it so far. Only `web` ones that are `sent` or `captured` are in the list of the user. */
const statusOf = (allowed: readonly Channel[], isSandbox: boolean, isLater: boolean): string => {
  if (isLater) return "scheduled";
  if (allowed.length === 0) return "suppressed";
  if (!allowed.includes("in_app")) return "queued";
  return isSandbox ? "captured" : "sent";
};

const details: ReadonlyMap<string, string> = new Map([
  ["suppressed", "The user has muted this type, or allows none of the channels."],
  ["captured", "Messages of a sandbox are kept, and not sent."],
]);

/** The list is in the order of ids, so that a later one comes where it belongs. */
const idOf = (send_at: Date | undefined): string =>
  send_at === undefined ? uuidv7() : uuidv7({ msecs: send_at.getTime() });

/** The records of a notification, and the messages that send it over other channels than the list. */
export const newNotifications = (
  { is_sandbox }: Pick<TenantDatabase, "is_sandbox">,
  telling: Telling,
  recipients: readonly Recipient[],
): NewNotifications => {
  const { content, channels, platforms, digest, by, save, later, key, problem } = telling;
  const { html: _, setting, ...shown } = content;
  const at = now();
  const { send_at } = later ?? {};
  const isLater = later !== undefined && later.send_at > at;
  const told = recipients.map((user) => {
    const allowed = allowedChannels(preferencesOf(user.notification_preferences), { type: content.type, channels });
    const id = save ? idOf(isLater ? send_at : undefined) : undefined;
    return { user, allowed, id };
  });
  const records = told.flatMap(({ user, allowed, id }) => {
    if (id === undefined) return [];
    const status = statusOf(allowed, is_sandbox, isLater);
    const owner = referenceTo(user);
    const fields = {
      ...shown,
      name: content.title.slice(0, LONGEST_NAME),
      user: owner,
      ...(setting && { setting: { ...setting, schema: "notification_setting" } }),
      ...(key !== undefined && { key }),
      channel: channelField(allowed),
      status,
      events: [{ type: status, at, detail: problem ?? details.get(status) ?? "" }],
      deliveries: allowed.includes("in_app") && !isLater ? [{ channel: "in_app", status }] : [],
      ...(send_at !== undefined && { send_at }),
      read: false,
    };
    return [newRecord(id, fields, { by, at, owner })];
  });
  // A later one is decided about when its time comes.
  const sent = told.filter(({ allowed }) => isLater || allowed.some((channel) => channel !== "in_app"));
  const messages: OutboxMessage[] = [];
  for (let from = 0; from < sent.length; from += AT_ONCE) {
    const some = sent.slice(from, from + AT_ONCE);
    messages.push(
      messageFor(deliverNotification, {
        by,
        content,
        channels: [...channels],
        platforms: [...platforms],
        digest,
        ...(isLater && { send_at: later.send_at.toISOString(), actor: later.actor }),
        recipients: some.map(({ user, id }) => ({ user: user._id, ...(id !== undefined && { notification: id }) })),
      }),
    );
  }
  return { records, messages };
};
