import type { ClientSession } from "mongodb";
import type { AdmittedSession, Grants, TenantDatabase } from "#shared/tenant/tenant";
import { tellOwners } from "#shared/trail/owners/owners";
import { type Origin, writeTrail } from "#shared/trail/trail";

/** Writes down, in the transaction that lets the session in, that an operator of the platform has entered. */
export const noteEntry = async (
  database: TenantDatabase,
  { _id, user_id }: Pick<AdmittedSession, "_id" | "user_id">,
  session: ClientSession,
): Promise<Origin> => {
  const projection = { name: 1, email: 1 };
  const user = await database.collection<Grants>("user").findOne({ _id: user_id }, { session, projection });
  const by = { id: user_id, name: user?.name ?? "", email: user?.email ?? "" };
  const origin = { by, session_id: _id, as_superuser: true };
  await writeTrail(database, origin, [{ action: "superuser_entered" }], session);
  return origin;
};

/** Tells the owners, but for those who have entered themselves. It never raises. */
export const tellOfEntry = (database: TenantDatabase, origin: Origin): Promise<void> =>
  tellOwners(database, { kind: "superuser_entered" }, { origin, ...(origin.by && { except: origin.by.id }) });
