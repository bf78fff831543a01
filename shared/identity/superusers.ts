import { now } from "../clock.ts";
import { Fault } from "../faults.ts";
import { base, type Identity } from "../tenant/tenant.ts";
import { setSuperuser } from "./admission.ts";

/**
 * Makes a person an operator of the platform or takes that away: in the identity and its sessions in one transaction, then in
 * each organization where such a session acts. Repeatable, if it was cut off in between.
 * Raises `record_not_found` for an email that nobody has, and `email_not_confirmed` for one that may be somebody else's.
 */
export const grantSuperuser = async (email: string, granted: boolean): Promise<Identity> => {
  const { users, sessions, transaction } = await base();
  const { identity, live } = await transaction(async (session) => {
    const changed = await users.findOneAndUpdate(
      { email, is_active: true, ...(granted && { email_confirmed: true }) },
      { $set: { is_superuser: granted, modified_date: now() } },
      { session, returnDocument: "after" },
    );
    if (changed === null) {
      const known = await users.findOne({ email, is_active: true }, { session });
      if (known !== null) throw new Fault("email_not_confirmed");
      throw new Fault("record_not_found", { message: `Nobody with the email ${email} can sign in here.` });
    }
    // What an app may do for a person is never a superuser's work.
    const own = { user_id: changed._id, client_id: { $exists: false } };
    await sessions.updateMany(own, { $set: { is_superuser: granted } }, { session });
    return { identity: changed, live: await sessions.find(own, { session }).toArray() };
  });
  await Promise.all(live.map(setSuperuser));
  return identity;
};
