import type { ClientSession } from "mongodb";
import type { Channel } from "#contracts/notification-bodies";
import type { DeliverNotification } from "#contracts/notification-messages";
import { now } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import { log } from "#shared/foundation/log";
import { isTimeZone } from "#shared/foundation/time-zone";
import type { Once, TenantDatabase } from "#shared/tenant/tenant";
import type { StoreMessages } from "../capture.ts";
import { acceptMessages } from "../delivery/accept.ts";
import { keeping, writeKept } from "../kept.ts";
import { lostActor } from "../lost-actor.ts";
import { allowedChannels, type Wait, waitOf } from "./decide.ts";
import { type Device, devicesOfUsers } from "./devices.ts";
import { notificationEmail } from "./email.ts";
import { pushFields, smsFields } from "./message-fields.ts";
import { type Delivery, noteDeliveries, noteInactive, noteRefused, noteWindow } from "./outcomes.ts";
import { organizationTimeZone, preferencesOf } from "./preferences.ts";
import { activeUsers, type Recipient } from "./users.ts";
import { addToWindow } from "./windows.ts";

type Told = DeliverNotification["recipients"][number];

interface Decided {
  readonly user: Recipient;
  readonly told: Told;
  readonly allowed: readonly Channel[];
  readonly wait: Wait | null;
}

interface Delivering {
  readonly database: TenantDatabase;
  readonly payload: DeliverNotification;
  readonly store: StoreMessages;
  readonly devices: ReadonlyMap<string, readonly Device[]>;
}

/** Faults that a person has to do something about: the notification goes on without the channel. */
const isRefusal = (error: unknown): error is Fault => error instanceof Fault && !error.retry && error.status < 500;

const attempt = async (channel: Channel, work: () => Promise<Delivery[]>): Promise<Delivery[]> => {
  try {
    return await work();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return [{ channel, status: "failed", reason: error.code }];
  }
};

const push = async (
  { database, payload: { content }, store, devices }: Delivering,
  { user, told: { notification } }: Decided,
): Promise<Delivery[]> => {
  const own = devices.get(user._id) ?? [];
  if (own.length === 0) return [{ channel: "push", status: "skipped", reason: "no_device" }];
  const deliveries = own.map((device) =>
    attempt("push", async () => {
      const fields = pushFields(content, device, user, notification);
      const [id = ""] = await acceptMessages(database, "push_message", [{ fields }], store);
      return [{ channel: "push", status: "accepted", object: "push_message", id }];
    }),
  );
  return (await Promise.all(deliveries)).flat();
};

const email = async ({ database, payload: { content }, store }: Delivering, { user }: Decided): Promise<Delivery[]> => {
  if (!user.email) return [{ channel: "email", status: "skipped", reason: "no_address" }];
  const message = await notificationEmail(database, user.email, content);
  const [id = ""] = await acceptMessages(database, "email_message", [message], store);
  return [{ channel: "email", status: "accepted", object: "email_message", id }];
};

const sms = async ({ database, payload: { content }, store }: Delivering, { user }: Decided): Promise<Delivery[]> => {
  if (!user.phone) return [{ channel: "sms", status: "skipped", reason: "no_number" }];
  const [id = ""] = await acceptMessages(database, "sms_message", [{ fields: smsFields(user.phone, content) }], store);
  return [{ channel: "sms", status: "accepted", object: "sms_message", id }];
};

const deliverNow = async (delivering: Delivering, one: Decided): Promise<Delivery[]> => {
  const deliveries = one.allowed.map((channel): Promise<Delivery[]> => {
    if (channel === "push") return push(delivering, one);
    if (channel === "email") return attempt("email", () => email(delivering, one));
    if (channel === "sms") return attempt("sms", () => sms(delivering, one));
    return Promise.resolve([]);
  });
  return (await Promise.all(deliveries)).flat();
};

const decide = (payload: DeliverNotification, user: Recipient, organizationZone: string, at: Date): Decided => {
  const { content, channels, digest, decided, recipients } = payload;
  const own = preferencesOf(user.notification_preferences);
  const allowed = decided ? channels : allowedChannels(own, { type: content.type, channels });
  const zone = isTimeZone(user.time_zone) ? user.time_zone : organizationZone;
  return {
    user,
    told: recipients.find((one) => one.user === user._id) ?? { user: user._id },
    allowed,
    wait: waitOf(own, zone, digest, content.urgent, at),
  };
};

/** Puts a delivery off until its moment, for one user or, with `send_at`, for all. */
const putOff = async (
  database: TenantDatabase,
  // Its sender was checked: only the recipient lets it wait.
  { recipients, send_at: _, actor: __, ...waiting }: DeliverNotification,
  { user, told, allowed, wait }: Decided,
  session: ClientSession,
): Promise<void> => {
  if (wait === null) return;
  const disturbing = allowed.filter((channel) => channel !== "in_app");
  const revision = await addToWindow(
    database,
    {
      id: `${wait.kind}/${user._id}/${wait.until.toISOString()}`,
      due: wait.until,
      recipients: [told],
      waiting: { ...waiting, channels: disturbing, decided: true },
    },
    session,
  );
  await noteWindow(database, told, revision, session);
};

interface DeliveryFacts {
  readonly database: TenantDatabase;
  /** Of the message. */
  readonly id: string;
  readonly once: Once;
}

/** Keeps all of it until its time has come. */
const wait = (payload: DeliverNotification, until: Date, { database, id, once }: DeliveryFacts): Promise<void> => {
  const { recipients, send_at: _, ...waiting } = payload;
  return once.write(
    async () => async (session) => {
      await addToWindow(database, { id: `later/${id}`, due: until, recipients, waiting }, session);
      return { ids: [], value: undefined };
    },
    async () => undefined,
  );
};

/** Ends a scheduled notification that is not sent. Without records only the log says so. */
const fail = (
  { recipients }: DeliverNotification,
  reason: string,
  { database, id, once }: DeliveryFacts,
): Promise<void> =>
  once.write(
    async () => async (session) => {
      await noteRefused(database, recipients, reason, session);
      log.info({ organization: database.organization_id, entry: id, reason }, "a scheduled notification was not sent");
      return { ids: [], value: undefined };
    },
    async () => undefined,
  );

/**
 * Sends a notification over the channels that each of its recipients allows, or puts it off: for quiet hours, a digest
 * or its `send_at`. A scheduled one fails if whoever scheduled it may not act any more. All of it is one transaction, so
 * that it happens once. Raises `dependency_unavailable`.
 */
export const deliverToRecipients = async (payload: DeliverNotification, facts: DeliveryFacts): Promise<void> => {
  const { database, id, once } = facts;
  const at = now();
  const until = payload.send_at === undefined ? undefined : new Date(payload.send_at);
  if (until !== undefined && until > at) return wait(payload, until, facts);
  const lost = payload.actor && (await lostActor(database, payload.actor, id));
  if (lost !== undefined) return fail(payload, lost, facts);
  await once.write(
    async () => {
      const ids = payload.recipients.map(({ user }) => user);
      const [users, zone] = await Promise.all([
        activeUsers(database, { _id: { $in: ids } }, ids.length),
        organizationTimeZone(database),
      ]);
      const decided = users.map((user) => decide(payload, user, zone, at));
      const pushed = decided.filter(({ allowed, wait: until }) => until === null && allowed.includes("push"));
      const found = await devicesOfUsers(
        database,
        pushed.map(({ user }) => user._id),
        payload.platforms,
      );
      const devices = Map.groupBy(found, ({ user }) => user);
      const { store, kept } = keeping();
      const delivering = { database, payload, store, devices };
      const done: { one: Decided; deliveries: readonly Delivery[] }[] = [];
      for (const one of decided) {
        done.push({ one, deliveries: one.wait === null ? await deliverNow(delivering, one) : [] });
      }
      return async (session) => {
        await writeKept(database, kept, session);
        for (const { one, deliveries } of done) {
          const { told, allowed } = one;
          await noteDeliveries(database, told, { allowed, deliveries, isWaiting: one.wait !== null }, session);
          if (one.allowed.some((channel) => channel !== "in_app")) await putOff(database, payload, one, session);
        }
        const active = new Set(users.map(({ _id }) => _id));
        const inactive = payload.recipients.filter(({ user }) => !active.has(user));
        await noteInactive(database, inactive, session);
        return { ids: [], value: undefined };
      };
    },
    async () => undefined,
  );
};
