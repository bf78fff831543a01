import type { Document } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import { deliverMessage, type MessageObject } from "#contracts/message-delivery";
import { ensureFirstIndexes } from "#shared/data/schema/schema";
import { atExpression, SCHEDULED_TIME, scheduleName } from "#shared/foundation/aws/scheduler";
import { now, nowMillis } from "#shared/foundation/clock";
import { env } from "#shared/foundation/env";
import { Fault } from "#shared/foundation/faults";
import {
  actorOf,
  type Caller,
  markBackgroundWork,
  messageFor,
  type NewEntry,
  newRecord,
  PLATFORM,
  type TenantDatabase,
} from "#shared/tenant/tenant";
import { inOwnTransaction, type StoreMessages, type UserReference } from "../capture.ts";
import { kindOf, ownCredential, platformLimits } from "../vendors/choose.ts";
import { type DeliveryState, eventOf, platformOf } from "./record.ts";

/** Whoever sends: a caller, or the platform by itself. */
export type Sender = TenantDatabase & {
  readonly caller?: Pick<Caller, "id" | "name" | "client_id" | "scope" | "responsible">;
};

export type AcceptedStatus = "queued" | "scheduled" | "captured" | "suppressed";

export interface NewMessage {
  /** A new one unless given. */
  readonly id?: string;
  readonly fields: Document;
  /** The caller unless given. */
  readonly owner?: UserReference;
  /** As `acceptedStatus` gives it unless given. */
  readonly status?: AcceptedStatus;
  /** Why it has this status. */
  readonly detail?: string;
  readonly send_at?: Date;
}

/** The kind of the schedules of messages. */
const KIND = "message";

/** A schedule that has not fired after this time is lost. Scheduler is exact to a minute. */
const LATE_MS = 3 * 60_000;

export const CAPTURED_IN_SANDBOX = "Messages from a sandbox are kept and not sent.";
export const CAPTURED_WITHOUT_VENDOR = "No vendor is configured, so that messages are kept and not sent.";

const refused = (object: MessageObject): Fault => {
  const kind = `${kindOf[object]}vendor`;
  const message = `No vendor is configured that could send this: save an auth_credential record of the kind ${kind}.`;
  return new Fault("vendor_not_configured", { message });
};

/**
 * The status of a message that is accepted now. `platform`: of the device, for push messages.
 * @throws Fault vendor_not_configured
 */
export const acceptedStatus = async (
  database: TenantDatabase,
  object: MessageObject,
  { send_at, platform }: { readonly send_at?: Date | undefined; readonly platform?: unknown } = {},
): Promise<Exclude<AcceptedStatus, "suppressed">> => {
  if (database.is_sandbox) return "captured";
  const hasVendor =
    (await ownCredential(database, object, platform)) !== undefined ||
    (await platformLimits(database, object)) !== undefined;
  if (hasVendor) return send_at !== undefined && send_at.getTime() > nowMillis() ? "scheduled" : "queued";
  if (env.capturesWithoutVendor()) return "captured";
  throw refused(object);
};

/** The name of the schedule of a message. */
export const messageScheduleName = (organizationId: string, object: MessageObject, id: string): string =>
  scheduleName(organizationId, KIND, `${object}/${id}`);

const scheduleOf = (organization: string, object: MessageObject, id: string, send_at: Date): NewEntry => ({
  schedule: {
    action: "put",
    name: messageScheduleName(organization, object, id),
    revision: "1",
    expression: atExpression(send_at),
    input: { organization, kind: KIND, id: `${object}/${id}`, revision: "1", scheduled_time: SCHEDULED_TIME },
  },
});

const detailOf = (status: AcceptedStatus, isSandbox: boolean): string | undefined => {
  if (status !== "captured") return undefined;
  return isSandbox ? CAPTURED_IN_SANDBOX : CAPTURED_WITHOUT_VENDOR;
};

/** The header Message-ID, so that answers can be threaded. */
const messageIdOf = (id: string, { from_email }: Document): string =>
  `${id}@${String(from_email ?? "").split("@")[1] ?? "tenantry.invalid"}`;

/** The state of a delivery that begins. */
const firstState = (status: AcceptedStatus, send_at: Date | undefined): DeliveryState => ({
  attempts: 0,
  revision: 1,
  ...(status === "scheduled" && send_at !== undefined && { next_attempt_at: new Date(send_at.getTime() + LATE_MS) }),
});

/**
 * Records messages with what brings them to their vendor, in one transaction, and gives their ids. `store`: stores
 * them, in a transaction of their own by default. In a sandbox they are kept and not sent, whatever `status` says.
 * @throws Fault vendor_not_configured
 */
export const acceptMessages = async (
  sender: Sender,
  object: MessageObject,
  messages: readonly NewMessage[],
  store: StoreMessages = inOwnTransaction(sender),
): Promise<string[]> => {
  if (messages.length === 0) return [];
  await ensureFirstIndexes(sender, object);
  const { organization_id, is_sandbox, caller } = sender;
  const at = now();
  const by = caller === undefined ? PLATFORM : ({ id: caller.id, schema: "user", name: caller.name } as const);
  const entries: NewEntry[] = [];
  const known = new Map<string, Promise<AcceptedStatus>>();
  const statusOf = ({ fields, send_at }: NewMessage): Promise<AcceptedStatus> => {
    const platform = platformOf(fields);
    const key = `${platform} ${send_at?.getTime()}`;
    const found = known.get(key) ?? acceptedStatus(sender, object, { send_at, platform });
    known.set(key, found);
    return found;
  };
  const records = [];
  for (const message of messages) {
    const { fields, owner = by, send_at } = message;
    const given = message.status ?? (await statusOf(message));
    const status = is_sandbox && given !== "suppressed" ? "captured" : given;
    const { id = uuidv7() } = message;
    const event = eventOf(status, at, message.detail ?? detailOf(status, is_sandbox));
    const state = {
      status,
      events: [event],
      last_event_time: at,
      ...(object === "email_message" && fields.message_id === undefined && { message_id: messageIdOf(id, fields) }),
      ...(send_at !== undefined && { send_at }),
      ...(status === "scheduled" && caller !== undefined && { _actor: actorOf({ caller }) }),
      ...((status === "queued" || status === "scheduled") && { _delivery: firstState(status, send_at) }),
    };
    records.push(newRecord(id, { ...fields, ...state }, { by, at, owner }));
    if (status === "queued") entries.push(messageFor(deliverMessage, { object, id }));
    else if (status === "scheduled") entries.push(scheduleOf(organization_id, object, id, send_at ?? at));
  }
  if (entries.length > 0) await markBackgroundWork(organization_id, "messages");
  await store(object, records, entries);
  return records.map(({ _id }) => _id);
};
