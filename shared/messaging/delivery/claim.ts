import type { Collection, Filter } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import type { MessageStatus } from "#contracts/message-status";
import { now, nowMillis } from "#shared/foundation/clock";
import type { TenantDatabase } from "#shared/tenant/tenant";
import { type MessageEvent, type MessageKey, reasonOf, type StoredMessage, statusChange } from "./record.ts";

/** Milliseconds that a vendor has for its answer. */
export const CALL_MS = 20_000;
/** Much longer than a call and the write of its answer. */
const LEASE_MS = CALL_MS + 20_000;

export const messagesOf = (
  { collection }: Pick<TenantDatabase, "collection">,
  { object }: Pick<MessageKey, "object">,
): Collection<StoredMessage> => collection<StoredMessage>(object);

/** A message on which the caller alone works. */
export interface ClaimedMessage extends MessageKey {
  readonly lease: string;
  /** As it is stored now. */
  readonly message: StoredMessage;
}

const due = () => ({
  $or: [{ "_delivery.next_attempt_at": { $exists: false } }, { "_delivery.next_attempt_at": { $lte: now() } }],
});

/** Whether it can be sent now. */
export const isDue = ({ status, _delivery }: StoredMessage): boolean =>
  status === "queued" && (_delivery?.next_attempt_at?.getTime() ?? 0) <= nowMillis();

/** Whether its worker has died in the middle. */
export const isInterrupted = ({ status, _delivery }: StoredMessage): boolean =>
  status === "sending" && (_delivery?.lease?.until.getTime() ?? 0) <= nowMillis();

const take = async (
  database: TenantDatabase,
  key: MessageKey,
  filter: Filter<StoredMessage>,
  change: {
    readonly set?: object;
    readonly push?: ReturnType<typeof statusChange>["push"];
    readonly inc?: Record<string, number>;
  } = {},
): Promise<ClaimedMessage | null> => {
  const lease = { id: uuidv7(), until: new Date(nowMillis() + LEASE_MS) };
  const message = await messagesOf(database, key).findOneAndUpdate(
    { _id: key.id, ...filter },
    {
      $set: { ...change.set, "_delivery.lease": lease, "_delivery.next_attempt_at": lease.until },
      ...(change.inc && { $inc: change.inc }),
      ...(change.push && { $push: change.push }),
    },
    { returnDocument: "after" },
  );
  return message === null ? null : { ...key, lease: lease.id, message };
};

/**
 * Takes a message for one call of its vendor. Of any number of callers only one gets it. Called last before the call,
 * so that a worker that dies while it prepares leaves a message that is queued.
 */
export const claimMessage = (
  database: TenantDatabase,
  key: MessageKey,
  facts: { readonly vendor: string; readonly source: "own" | "platform"; readonly first: Date },
): Promise<ClaimedMessage | null> => {
  const { set, push } = statusChange("sending", now());
  const { vendor, source, first } = facts;
  return take(
    database,
    key,
    { status: "queued", ...due() },
    {
      set: {
        ...set,
        vendor,
        "_delivery.vendor": vendor,
        "_delivery.source": source,
        "_delivery.first_attempt_at": first,
      },
      push,
      inc: { "_delivery.attempts": 1 },
    },
  );
};

/** Takes a message whose worker has died in the middle, to find out what became of it. */
export const claimInterrupted = (database: TenantDatabase, key: MessageKey): Promise<ClaimedMessage | null> =>
  take(database, key, { status: "sending", "_delivery.lease.until": { $lte: now() } });

/** What is stored of an attempt. */
export interface Ending {
  readonly status: MessageStatus;
  readonly detail?: string;
  /** Fields of the record. */
  readonly fields?: Readonly<Record<string, unknown>>;
  /** For a message that is queued again. */
  readonly next_attempt_at?: Date;
  /** Of `_delivery`. */
  readonly state?: Readonly<Record<string, unknown>>;
  /** Instead of the status' own event. */
  readonly event?: MessageEvent;
}

/** Of a message that is not sent, or may not have been, with the reason as its error. */
export const endedWith = (status: "failed" | "unknown", reason: string): Ending => {
  const detail = reasonOf(reason);
  return { status, detail, fields: { error: detail } };
};

const changeOf = ({ status, detail, fields = {}, next_attempt_at, state = {}, event }: Ending) => {
  const { set, push } = statusChange(status, now(), detail);
  const own = Object.fromEntries(Object.entries(state).map(([name, value]) => [`_delivery.${name}`, value]));
  return {
    $set: {
      ...set,
      ...fields,
      ...own,
      ...(next_attempt_at !== undefined && { "_delivery.next_attempt_at": next_attempt_at }),
    },
    $unset: {
      "_delivery.lease": "" as const,
      ...(next_attempt_at === undefined && { "_delivery.next_attempt_at": "" as const }),
      ...(fields.error === undefined && { error: "" as const }),
    },
    $push: event === undefined ? push : { events: { $each: [event], $slice: push.events.$slice } },
  };
};

/** Ends a claim. False if an event of the vendor has given the message another status, or the claim was lost. */
export const endClaim = async (database: TenantDatabase, claimed: ClaimedMessage, ending: Ending): Promise<boolean> => {
  const held = { _id: claimed.id, "_delivery.lease.id": claimed.lease };
  const messages = messagesOf(database, claimed);
  const { matchedCount } = await messages.updateOne({ ...held, status: "sending" }, changeOf(ending));
  if (matchedCount > 0) return true;
  // What the vendor has reported meanwhile stays.
  const { status: _, error: __, ...fields } = { status: "", error: "", ...ending.fields };
  await messages.updateOne(held, {
    ...(Object.keys(fields).length > 0 && { $set: fields }),
    $unset: { "_delivery.lease": "", "_delivery.next_attempt_at": "" },
  });
  return false;
};

/** Gives a queued message, on which nobody works, another status. False if it is not queued any more. */
export const settleQueued = async (database: TenantDatabase, key: MessageKey, ending: Ending): Promise<boolean> => {
  const queued = { _id: key.id, status: "queued" as const };
  const { matchedCount } = await messagesOf(database, key).updateOne(queued, changeOf(ending));
  return matchedCount > 0;
};

/** Lets a queued message wait, without an attempt and without an event. */
export const putBack = async (database: TenantDatabase, key: MessageKey, next_attempt_at: Date): Promise<void> => {
  await messagesOf(database, key).updateOne(
    { _id: key.id, status: "queued" },
    { $set: { "_delivery.next_attempt_at": next_attempt_at } },
  );
};
