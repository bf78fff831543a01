import {
  type AdmittedSession,
  openOrganization,
  SESSION_COLLECTION,
  type Session,
  type TenantDatabase,
} from "../tenant/tenant.ts";

type Admission = Pick<Session, "_id" | "user_id" | "client_id" | "is_superuser" | "scope" | "expires_at">;

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
  const { _id, user_id, client_id, is_superuser, scope, expires_at } = session;
  const document: AdmittedSession = { _id, user_id, ...(client_id && { client_id }), is_superuser, scope, expires_at };
  await admitted(await databaseOf(organizationId)).replaceOne({ _id }, document, { upsert: true });
};

/** Tells the organizations of a session's changed right; where it is not admitted, or no longer, nothing happens. */
export const setSuperuser = async ({ _id, is_superuser, organizations }: Session): Promise<void> => {
  await Promise.all(
    organizations.map(async (id) => {
      const database = await openOrganization(id);
      if (database !== null) await admitted(database).updateOne({ _id }, { $set: { is_superuser } });
    }),
  );
};

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
