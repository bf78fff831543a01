import type { ClientSession } from "mongodb";
import { now } from "#shared/foundation/clock";
import { LEDGER_COLLECTION, type LedgerEntry, type TenantDatabase } from "#shared/tenant/tenant";
import { thisRelease } from "./list.ts";

export { type BaseName, type Migration, thisRelease } from "./list.ts";

type Ledger = Pick<TenantDatabase, "collection">;

/** The migrations that a tenant's database has. */
export const ledgerOf = ({ collection }: Ledger) => collection<LedgerEntry>(LEDGER_COLLECTION);

/** The ledger of a new organization, whose database needs none of the migrations. */
export const writeNewLedger = async (database: Ledger, session: ClientSession): Promise<void> => {
  const at = now();
  const entries = thisRelease().tenants.map(({ id }): LedgerEntry => ({ _id: id, at, duration: 0, result: {} }));
  await ledgerOf(database).insertMany(entries, { session });
};
