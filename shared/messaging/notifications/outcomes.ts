import type { ClientSession, Condition, Filter } from "mongodb";
import type { Channel } from "#contracts/notification-bodies";
import type { DeliverNotification } from "#contracts/notification-messages";
import { now } from "#shared/foundation/clock";
import type { TenantDatabase } from "#shared/tenant/tenant";

/** What a channel has made of a notification, as its record shows it. */
export interface Delivery {
  readonly channel: Channel;
  readonly status: string;
  readonly object?: string;
  readonly id?: string;
  readonly reason?: string;
}

type Told = DeliverNotification["recipients"][number];

interface Stored {
  _id: string;
  user: { id: string };
  status: string;
  /** The revision of the last window that it has waited in. */
  _window?: string;
  events: unknown[];
  deliveries: unknown[];
}

/** Of a record. Earlier ones are dropped. */
const MOST_DELIVERIES = 100;

const notificationsOf = ({ collection }: TenantDatabase) => collection<Stored>("notification");

/** The records that a message is about: one, or those of a summary. Null if none was kept. */
const recordsOf = ({ user, notification, window }: Told): Filter<Stored> | null => {
  if (window !== undefined) return { "user.id": user, _window: window };
  return notification === undefined ? null : { _id: notification };
};

interface Outcome {
  readonly allowed: readonly Channel[];
  readonly deliveries: readonly Delivery[];
  readonly isWaiting: boolean;
}

/** Without the list in the app it is sent if one of its channels has accepted it. */
const statusOf = (sent: string, { allowed, deliveries, isWaiting }: Outcome): string => {
  if (allowed.length === 0) return "suppressed";
  if (allowed.includes("in_app")) return sent;
  if (isWaiting) return "queued";
  return deliveries.some(({ status }) => status === "accepted") ? sent : "failed";
};

/** What the records of a notification show of its deliveries. One that was scheduled gets into the list. */
export const noteDeliveries = async (
  database: TenantDatabase,
  told: Told,
  outcome: Outcome,
  session: ClientSession,
): Promise<void> => {
  const records = recordsOf(told);
  if (records === null) return;
  const { allowed, deliveries } = outcome;
  const at = now();
  const sent = database.is_sandbox ? "captured" : "sent";
  const status = statusOf(sent, outcome);
  const event = { type: status, at, detail: "" };
  const listed = allowed.includes("in_app") ? [{ channel: "in_app", status: sent }] : [];
  const change = (from: Condition<string>, added: readonly object[], isNews: boolean) =>
    notificationsOf(database).updateMany(
      { ...records, status: from },
      {
        $set: { modified_date: at, ...(isNews && { status }) },
        $push: { deliveries: { $each: [...added], $slice: -MOST_DELIVERIES }, ...(isNews && { events: event }) },
      },
      { session },
    );
  // In this order, so that none is changed twice.
  if (deliveries.length > 0) await change({ $nin: ["scheduled", "queued"] }, deliveries, false);
  if (status !== "queued") await change("queued", deliveries, true);
  if (told.window === undefined) await change("scheduled", [...listed, ...deliveries], true);
};

/** Ends notifications that are not sent. */
const noteUnsent = async (
  database: TenantDatabase,
  told: readonly Told[],
  { status, detail }: { readonly status: "cancelled" | "failed"; readonly detail: string },
  session: ClientSession,
): Promise<void> => {
  const records = told.map(recordsOf).filter((one) => one !== null);
  if (records.length === 0) return;
  const at = now();
  const event = { type: status, at, detail };
  await notificationsOf(database).updateMany(
    { $or: records, status: { $in: ["scheduled", "queued"] } },
    { $set: { status, modified_date: at }, $push: { events: event } },
    { session },
  );
};

/** Nobody who was deactivated meanwhile is told. */
export const noteInactive = (database: TenantDatabase, told: readonly Told[], session: ClientSession): Promise<void> =>
  noteUnsent(database, told, { status: "cancelled", detail: "The user is not active." }, session);

/** Nobody is told in the name of a sender who may not act any more. */
export const noteRefused = (
  database: TenantDatabase,
  told: readonly Told[],
  detail: string,
  session: ClientSession,
): Promise<void> => noteUnsent(database, told, { status: "failed", detail }, session);

/** Notes the window that a delivery waits in, so that its records show what becomes of it. */
export const noteWindow = async (
  database: TenantDatabase,
  told: Told,
  revision: string,
  session: ClientSession,
): Promise<void> => {
  const records = recordsOf(told);
  if (records === null) return;
  await notificationsOf(database).updateMany(records, { $set: { _window: revision } }, { session });
};
