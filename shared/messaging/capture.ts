import { addToOutbox, type NewEntry, type NewRecord, type Tenant, type TenantDatabase } from "#shared/tenant/tenant";

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

export type MessageRecord = NewRecord;

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
