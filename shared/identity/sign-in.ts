import { Fault } from "../faults.ts";
import { base, type Identity } from "../tenant/tenant.ts";
import { dismiss, orDismiss } from "./admission.ts";
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
  const rehashed = needsRehash(identity.password_hash) ? await hashPassword(credentials.password) : undefined;
  return enter(identity, organizationId, rehashed);
};

/** Begins a session of an identity whose password was right. Raises `invalid_credentials` if it is so no longer. */
const enter = async (identity: Identity, organizationId: string, rehashed?: string): Promise<TokenAnswer> => {
  const { _id, password_hash, is_superuser } = identity;
  const unchanged = { _id, password_hash, is_active: true, two_factor: "off" } as const;
  const session = await prepareSession(identity, organizationId);
  const collections = await base();
  await session.admit();
  const entered = await orDismiss(session.id, organizationId, () =>
    collections.transaction(async (transaction) => {
      // The identity is written here, so that a change of password, activity or rights at the same moment comes before or
      // after this sign-in as a whole, never in between.
      const current = await collections.users.updateOne(
        { ...unchanged, is_superuser },
        { $set: { last_organization_id: organizationId, ...(rehashed ? { password_hash: rehashed } : {}) } },
        { session: transaction },
      );
      if (current.matchedCount === 1) await session.store(collections, transaction);
      return current.matchedCount === 1;
    }),
  );
  if (entered) return session.answer;
  await dismiss(session.id, [organizationId]);
  const changed = await collections.users.findOne(unchanged);
  if (changed === null || changed.is_superuser === is_superuser) throw invalidCredentials();
  return enter(changed, organizationId, rehashed);
};
