import { now } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import { base, type Identity, openOrganization } from "#shared/tenant/tenant";
import { writeEntryAhead } from "#shared/trail/trail";
import { replicateSuperuser } from "../sessions/session-replicas.ts";

const demandIdentity = async (email: string, granted: boolean): Promise<Identity> => {
  const { users } = await base();
  const identity = await users.findOne({ email, is_active: true });
  if (identity === null) {
    throw new Fault("record_not_found", { message: `Nobody with the email ${email} can sign in here.` });
  }
  if (granted && identity.email_confirmed !== true) throw new Fault("email_not_confirmed");
  return identity;
};

/** Writes the audit entry in each organization of the person before the change in the base database. */
const writeEntriesAhead = async (
  { _id, name, email, organizations, is_superuser }: Identity,
  granted: boolean,
  request_id: string | undefined,
): Promise<void> => {
  if (is_superuser === granted) return;
  const origin = { by: null, ...(request_id && { request_id }) };
  await Promise.all(
    organizations.map(async ({ id }) => {
      const database = await openOrganization(id);
      if (database === null) return;
      await writeEntryAhead(database, origin, {
        action: granted ? "superuser_granted" : "superuser_revoked",
        object: "user",
        record_id: _id,
        called: `${name} (${email})`,
        changes: { is_superuser: { from: is_superuser, to: granted } },
        details: { operation: "grant-superuser" },
      });
    }),
  );
};

/**
 * Grants or revokes the rights of a superuser: in the identity and its sessions in one transaction, then in the
 * replicas of these sessions. Repeatable after an interruption. Raises `record_not_found` for an email without an
 * active account, and `email_not_confirmed` for one that is not confirmed.
 */
export const grantSuperuser = async (email: string, granted: boolean, requestId?: string): Promise<Identity> => {
  await writeEntriesAhead(await demandIdentity(email, granted), granted, requestId);
  const { users, sessions, transaction } = await base();
  const { identity, live } = await transaction(async (session) => {
    const changed = await users.findOneAndUpdate(
      { email, is_active: true, ...(granted && { email_confirmed: true }) },
      { $set: { is_superuser: granted, modified_date: now() } },
      { session, returnDocument: "after" },
    );
    if (changed === null) throw new Fault("conflict");
    // Sessions of apps never have a superuser's rights.
    const own = { user_id: changed._id, client_id: { $exists: false } };
    await sessions.updateMany(own, { $set: { is_superuser: granted } }, { session });
    return { identity: changed, live: await sessions.find(own, { session }).toArray() };
  });
  await Promise.all(live.map(replicateSuperuser));
  return identity;
};
