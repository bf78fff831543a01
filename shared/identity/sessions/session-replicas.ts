import {
  type AdmittedSession,
  openOrganization,
  SESSION_COLLECTION,
  type Session,
  type TenantDatabase,
} from "#shared/tenant/tenant";
import { noteEntry, tellOfEntry } from "./superuser-entry.ts";

type Admission = Pick<
  Session,
  | "_id"
  | "user_id"
  | "client_id"
  | "responsible"
  | "is_superuser"
  | "second_factor"
  | "scope"
  | "created_date"
  | "expires_at"
>;

const admitted = (database: TenantDatabase) => database.collection<AdmittedSession>(SESSION_COLLECTION);

const databaseOf = async (organizationId: string): Promise<TenantDatabase> => {
  const database = await openOrganization(organizationId);
  if (database === null) throw new Error(`The organization ${organizationId} is not registered.`);
  return database;
};

/**
 * Lets a session act in an organization, as the base database has it now. Always before the base database's own write, and
 * taken back by `dismiss` if that fails: so whoever ends the session there finds the organization in its list.
 */
export const admit = async (session: Admission, organizationId: string): Promise<void> => {
  const { _id, user_id, client_id, responsible, second_factor = false } = session;
  const { is_superuser, scope, created_date, expires_at } = session;
  const app = { ...(client_id && { client_id }), ...(responsible && { responsible }) };
  const rights = { is_superuser, second_factor, scope };
  const document: AdmittedSession = { _id, user_id, ...app, ...rights, created_date, expires_at };
  const database = await databaseOf(organizationId);
  if (is_superuser) await admitSuperuser(database, document);
  else await admitted(database).replaceOne({ _id }, document, { upsert: true });
};

/** An operator of the platform enters with an entry in the audit trail, and the owners hear of it: once a session. */
const admitSuperuser = async (database: TenantDatabase, document: AdmittedSession): Promise<void> => {
  const { _id } = document;
  const entering = await database.transaction(async (session) => {
    const before = await admitted(database).findOneAndReplace({ _id }, document, { session, upsert: true });
    return before?.is_superuser === true ? null : noteEntry(database, document, session);
  });
  if (entering !== null) await tellOfEntry(database, entering);
};

/**
 * Tells a session's organizations what has changed in it; where it is not admitted, or no longer, nothing happens. Only the
 * one field is written: another may be changing at the same moment.
 */
const tell = async (
  { organizations }: Pick<Session, "organizations">,
  change: (database: TenantDatabase) => Promise<unknown>,
): Promise<void> => {
  await Promise.all(
    organizations.map(async (id) => {
      const database = await openOrganization(id);
      if (database !== null) await change(database);
    }),
  );
};

/** Whoever becomes an operator of the platform enters by that wherever they are signed in. */
export const setSuperuser = ({ _id, organizations, is_superuser }: Session): Promise<void> =>
  tell({ organizations }, async (database) => {
    const entering = await database.transaction(async (session) => {
      const change = { $set: { is_superuser } };
      const before = await admitted(database).findOneAndUpdate({ _id }, change, { session });
      const enters = is_superuser && before !== null && !before.is_superuser;
      return enters ? noteEntry(database, before, session) : null;
    });
    if (entering !== null) await tellOfEntry(database, entering);
  });

/** It is only ever given, never taken back: if this is cut off, the next refresh admits the session as it is. */
export const setSecondFactor = ({ _id, organizations }: Session): Promise<void> =>
  tell({ organizations }, (database) => admitted(database).updateOne({ _id }, { $set: { second_factor: true } }));

/** Ends a session in organizations. Always after the base database has ended it. May be repeated. */
export const dismiss = async (sessionId: string, organizationIds: readonly string[]): Promise<void> => {
  await Promise.all(
    organizationIds.map(async (id) => {
      const database = await openOrganization(id);
      if (database !== null) await admitted(database).deleteOne({ _id: sessionId });
    }),
  );
};

/** Runs the base database's write of a session that was admitted first; a failure dismisses it again. */
export const orDismiss = async <T>(sessionId: string, organizationId: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    await dismiss(sessionId, [organizationId]);
    throw error;
  }
};

/** Admitted sessions leave by themselves once they have expired. */
export const ensureAdmissionIndex = async (database: TenantDatabase): Promise<void> => {
  await admitted(database).createIndex({ expires_at: 1 }, { expireAfterSeconds: 0 });
};
