import type { ClientSession } from "mongodb";
import {
  openOrganization,
  SESSION_COLLECTION,
  type Session,
  type SessionReplica,
  type TenantDatabase,
  type UserRights,
} from "#shared/tenant/tenant";
import { notifyOwners } from "#shared/trail/owners/owners";
import { type Origin, writeTrail } from "#shared/trail/trail";

type ReplicatedFields = Pick<
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

const replicas = (database: TenantDatabase) => database.collection<SessionReplica>(SESSION_COLLECTION);

/** Writes the audit entry of a superuser's entry, in the transaction that publishes the session. */
const recordSuperuserEntry = async (
  database: TenantDatabase,
  { _id, user_id }: Pick<SessionReplica, "_id" | "user_id">,
  session: ClientSession,
): Promise<Origin> => {
  const projection = { name: 1, email: 1 };
  const user = await database.collection<UserRights>("user").findOne({ _id: user_id }, { session, projection });
  const by = { id: user_id, name: user?.name ?? "", email: user?.email ?? "" };
  const origin = { by, session_id: _id, as_superuser: true };
  await writeTrail(database, origin, [{ action: "superuser_entered" }], session);
  return origin;
};

/** Mails the owners, except for the superuser who entered. It never raises. */
const notifyOwnersOfEntry = (database: TenantDatabase, origin: Origin): Promise<void> =>
  notifyOwners(database, { kind: "superuser_entered" }, { origin, ...(origin.by && { except: origin.by.id }) });

/** Writes the audit entry and mails the owners only the first time that the session enters the organization. */
const publishSuperuserSession = async (database: TenantDatabase, replica: SessionReplica): Promise<void> => {
  const { _id } = replica;
  const entry = await database.transaction(async (session) => {
    const before = await replicas(database).findOneAndReplace({ _id }, replica, { session, upsert: true });
    return before?.is_superuser === true ? null : recordSuperuserEntry(database, replica, session);
  });
  if (entry !== null) await notifyOwnersOfEntry(database, entry);
};

const publishSession = async (session: ReplicatedFields, organizationId: string): Promise<void> => {
  const { _id, user_id, client_id, responsible, second_factor = false } = session;
  const { is_superuser, scope, created_date, expires_at } = session;
  const app = { ...(client_id && { client_id }), ...(responsible && { responsible }) };
  const rights = { is_superuser, second_factor, scope };
  const replica: SessionReplica = { _id, user_id, ...app, ...rights, created_date, expires_at };
  const database = await openOrganization(organizationId);
  if (database === null) throw new Error(`The organization ${organizationId} is not registered.`);
  if (is_superuser) await publishSuperuserSession(database, replica);
  else await replicas(database).replaceOne({ _id }, replica, { upsert: true });
};

/**
 * Deletes the session's replicas in all of its organizations. Only after the base database's session has ended.
 * Repeatable.
 */
export const revokeSession = async ({ _id, organizations }: Pick<Session, "_id" | "organizations">): Promise<void> => {
  await Promise.all(
    organizations.map(async (id) => {
      const database = await openOrganization(id);
      if (database !== null) await replicas(database).deleteOne({ _id });
    }),
  );
};

export const revokeSessions = async (ended: readonly Session[]): Promise<void> => {
  await Promise.all(ended.map(revokeSession));
};

/**
 * Publishes a session in an organization and then runs `write`, the base database's write of it. Revokes the session
 * there if `write` raises, or answers null because it wrote nothing. In this order, whoever ends the session in the
 * base database finds the organization in its list.
 */
export const publishAndWrite = async <T>(
  session: ReplicatedFields,
  organizationId: string,
  write: () => Promise<T>,
): Promise<T> => {
  const revoke = () => revokeSession({ _id: session._id, organizations: [organizationId] });
  await publishSession(session, organizationId);
  let written: T;
  try {
    written = await write();
  } catch (error) {
    await revoke();
    throw error;
  }
  if (written === null) await revoke();
  return written;
};

/**
 * Updates a session's replicas; organizations without one are skipped. Only the one field is written, because another
 * may be changing at the same moment.
 */
const updateReplicas = async (
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

/** A person who becomes a superuser enters each organization in which their session acts. */
export const replicateSuperuser = ({ _id, organizations, is_superuser }: Session): Promise<void> =>
  updateReplicas({ organizations }, async (database) => {
    const entry = await database.transaction(async (session) => {
      const change = { $set: { is_superuser } };
      const before = await replicas(database).findOneAndUpdate({ _id }, change, { session });
      const enters = is_superuser && before !== null && !before.is_superuser;
      return enters ? recordSuperuserEntry(database, before, session) : null;
    });
    if (entry !== null) await notifyOwnersOfEntry(database, entry);
  });

/** The field is only ever set to true. If this is interrupted, the next refresh publishes the session as it is. */
export const replicateSecondFactor = ({ _id, organizations }: Session): Promise<void> =>
  updateReplicas({ organizations }, (database) =>
    replicas(database).updateOne({ _id }, { $set: { second_factor: true } }),
  );
