import { Fault } from "../faults.ts";
import { base, type Identity } from "../tenant/tenant.ts";
import { limitAttempts } from "./attempts.ts";
import { chooseOrganization } from "./membership.ts";
import { hashPassword, needsRehash, verifyPassword } from "./password-hash.ts";
import { invalidCredentials } from "./refusals.ts";
import { prepareSession, type TokenAnswer } from "./sessions.ts";

export interface Credentials {
  /** Normalised. */
  readonly email: string;
  readonly password: string;
  /** The caller's IP address. */
  readonly address: string;
}

/** The identity whose password this is, or null: whatever is wrong, the hash is computed once. */
const identify = async ({ email, password }: Credentials): Promise<Identity | null> => {
  const { users } = await base();
  const identity = await users.findOne({ email });
  const right = await verifyPassword(password, identity?.password_hash);
  return right && identity?.is_active === true ? identity : null;
};

/**
 * Signs a person in with their password, in the organization that they used last or else their first.
 * Raises `invalid_credentials`, `too_many_attempts`, `not_a_member` if no organization is left to work in, and `forbidden` if a
 * password alone does not open the account.
 */
export const signIn = async (credentials: Credentials): Promise<TokenAnswer> => {
  const identity = await limitAttempts(credentials.email, credentials.address, () => identify(credentials));
  if (identity.two_factor !== "off") {
    throw new Fault("forbidden", {
      message: "This account asks for a second factor; a password alone does not open it.",
    });
  }
  const organizationId = await chooseOrganization(identity, identity.last_organization_id);
  if (organizationId === null) {
    throw new Fault("not_a_member", { message: "You are not an active member of any active organization." });
  }
  const { password_hash } = identity;
  const rehashed = needsRehash(password_hash) ? { password_hash: await hashPassword(credentials.password) } : {};
  const session = await prepareSession(identity, organizationId);
  const collections = await base();
  await collections.transaction(async (transaction) => {
    // The identity is written here, so that a change of password, activity or rights at the same moment comes before or
    // after this sign-in as a whole, never in between.
    const current = await collections.users.findOneAndUpdate(
      { _id: identity._id, is_active: true, two_factor: "off", password_hash },
      { $set: { last_organization_id: organizationId, ...rehashed } },
      { session: transaction, returnDocument: "after" },
    );
    if (current === null) throw invalidCredentials();
    await session.store(collections, current.is_superuser, transaction);
  });
  return session.answer;
};
