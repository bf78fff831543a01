import { base, type Identity } from "#shared/tenant/tenant";
import { audit, organizationsOf } from "../audit.ts";
import { hashPassword, needsRehash, verifyPassword } from "../credentials/password-hash.ts";
import type { Device } from "../sessions/device.ts";
import { isSecondFactorRequired } from "../sessions/membership.ts";
import type { PrepareSession } from "../sessions/sessions.ts";
import { limitAttempts } from "./attempts.ts";
import { completeSignIn } from "./complete-sign-in.ts";
import { invalidCredentials } from "./refusals.ts";
import { requestSecondFactor, type SecondFactorRequest } from "./second-factor.ts";

export interface Credentials extends Device {
  /** Normalised. */
  readonly email: string;
  readonly password: string;
}

/** The identity with this password, or null. In every case of failure one hash is computed and one entry written. */
const identify = async (credentials: Credentials): Promise<Identity | null> => {
  const { users } = await base();
  const identity = await users.findOne({ email: credentials.email });
  const right = await verifyPassword(credentials.password, identity?.password_hash);
  if (right && identity?.is_active === true) return identity;
  await audit({
    type: "sign_in_refused",
    user_id: identity?._id ?? null,
    organizations: identity === null ? [] : organizationsOf(identity),
    device: credentials,
  });
  return null;
};

/**
 * Signs a person in with their password, in the organization that they used last or else their first. A person with a
 * second factor, or in an organization that requires one, is asked for it. Raises `invalid_credentials`,
 * `too_many_attempts`, `not_a_member` if there is no organization where they can work, and `dependency_unavailable` if
 * a code cannot be mailed.
 */
export const signIn = async <A>(
  credentials: Credentials,
  prepare: PrepareSession<A>,
): Promise<A | SecondFactorRequest> => {
  const identity = await limitAttempts(credentials.email, credentials.address, () => identify(credentials));
  const rehashed = needsRehash(identity.password_hash) ? await hashPassword(credentials.password) : undefined;
  if (identity.two_factor !== "off" || (await isSecondFactorRequired(identity))) {
    return requestSecondFactor(identity, credentials, rehashed);
  }
  const update = rehashed === undefined ? {} : { $set: { password_hash: rehashed } };
  return completeSignIn({
    identity,
    prepare,
    device: credentials,
    second_factor: false,
    update,
    refusal: invalidCredentials,
  });
};
