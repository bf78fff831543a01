import type { ClientSession } from "mongodb";
import { log } from "#shared/foundation/log";
import type { CountedWrites } from "../counted-writes.ts";
import type { OutboxDatabase, OutboxEntry } from "./entry.ts";
import { sendEntries } from "./send.ts";

/** Transaction → its database, and the entries that it has added. */
const added = new WeakMap<ClientSession, { readonly database: string; readonly entries: OutboxEntry[] }>();

/** What a transaction of the database has added so far. Raises an error for other transactions. */
export const addedIn = (session: ClientSession, { organization_id }: OutboxDatabase): OutboxEntry[] => {
  const transaction = added.get(session);
  if (transaction?.database !== organization_id) {
    throw new Error("The outbox is written in the transactions of its own database.");
  }
  return transaction.entries;
};

/**
 * The transactions of a database, with the sending of what they have added to its outbox. Sending never fails a
 * transaction that was committed: what could not be sent is left to the job sweep-outbox.
 */
export const sendingTransactions =
  (database: OutboxDatabase & Pick<CountedWrites, "transaction">): CountedWrites["transaction"] =>
  async (work) => {
    let entries: OutboxEntry[] = [];
    const result = await database.transaction((session) => {
      entries = [];
      added.set(session, { database: database.organization_id, entries });
      return work(session);
    });
    if (entries.length === 0) return result;
    try {
      await sendEntries(database, entries);
    } catch (error) {
      log.error({ organization: database.organization_id, err: error }, "the outbox was not sent");
    }
    return result;
  };
