import type { Document } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import { now } from "#shared/foundation/clock";
import { addToOutbox, type NewEntry, newRecord, type Tenant, type TenantDatabase } from "#shared/tenant/tenant";

/** Longest name of a record. */
export const LONGEST_NAME = 200;

/** A reference to a user, as records have it. */
export interface UserReference {
  readonly id: string;
  readonly schema: "user";
  readonly name: string;
}

export const callerReference = ({ caller }: Pick<Tenant, "caller">): UserReference => ({
  id: caller.id,
  schema: "user",
  name: caller.name,
});

interface Captured {
  readonly fields: Document;
  /** The caller unless given. */
  readonly owner?: UserReference;
}

export type MessageRecord = ReturnType<typeof newRecord>;

/** Stores records of messages with what is sent after the commit. */
export type StoreMessages = (
  object: string,
  records: readonly MessageRecord[],
  entries: readonly NewEntry[],
) => Promise<void>;

export const inOwnTransaction =
  (database: TenantDatabase): StoreMessages =>
  (object, records, entries) =>
    database.transaction(async (session) => {
      await database.collection<MessageRecord>(object).insertMany([...records], { session });
      await addToOutbox(database, session, entries);
    });

/** Records messages that are kept and not sent, and gives their ids. */
export const captureMessages = async (
  tenant: Tenant,
  object: "notification",
  messages: readonly Captured[],
  store: StoreMessages = inOwnTransaction(tenant),
): Promise<string[]> => {
  if (messages.length === 0) return [];
  const at = now();
  const by = callerReference(tenant);
  const event = { type: "captured", at, detail: "No vendor is configured, so that messages are kept and not sent." };
  const records = messages.map(({ fields, owner = by }) =>
    newRecord(uuidv7(), { ...fields, status: "captured", events: [event] }, { by, at, owner }),
  );
  await store(object, records, []);
  return records.map(({ _id }) => _id);
};
