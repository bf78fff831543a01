import type { ClientSession } from "mongodb";
import { addToOutbox, type NewEntry, type TenantDatabase } from "#shared/tenant/tenant";
import type { MessageRecord, StoreMessages } from "./capture.ts";

/** Records of one object with what is sent after the commit. */
export interface Kept {
  readonly object: string;
  readonly records: readonly MessageRecord[];
  readonly entries: readonly NewEntry[];
}

/** Keeps what would be stored, so that one transaction stores all of it. */
export const keeping = (): { readonly store: StoreMessages; readonly kept: readonly Kept[] } => {
  const kept: Kept[] = [];
  const store: StoreMessages = async (object, records, entries) => {
    kept.push({ object, records, entries });
  };
  return { store, kept };
};

/** Stores what was kept. */
export const writeKept = async (
  database: TenantDatabase,
  kept: readonly Kept[],
  session: ClientSession,
): Promise<void> => {
  for (const [object, some] of Map.groupBy(kept, (one) => one.object)) {
    const records = some.flatMap((one) => one.records);
    if (records.length > 0) await database.collection<MessageRecord>(object).insertMany(records, { session });
  }
  await addToOutbox(
    database,
    session,
    kept.flatMap(({ entries }) => entries),
  );
};
