import { now } from "../clock.ts";
import { Fault } from "../faults.ts";
import { base, type Identity } from "../tenant/tenant.ts";

/**
 * Makes a person an operator of the platform or takes that away, in the identity and in every live session at once.
 * Raises `record_not_found` for an email that nobody has.
 */
export const grantSuperuser = async (email: string, granted: boolean): Promise<Identity> => {
  const { users, sessions, transaction } = await base();
  return transaction(async (session) => {
    const identity = await users.findOneAndUpdate(
      { email, is_active: true },
      { $set: { is_superuser: granted, modified_date: now() } },
      { session, returnDocument: "after" },
    );
    if (identity === null) {
      throw new Fault("record_not_found", { message: `Nobody with the email ${email} can sign in here.` });
    }
    await sessions.updateMany({ user_id: identity._id }, { $set: { is_superuser: granted } }, { session });
    return identity;
  });
};
