import { Fault } from "#shared/foundation/faults";
import { base, type Caller, type Identity } from "#shared/tenant/tenant";
import type { Device } from "../sessions/device.ts";
import { limitAttempts, rememberAddress } from "../sign-in/attempts.ts";
import { sessionEnded } from "../sign-in/refusals.ts";
import { verifyPassword } from "./password-hash.ts";

export const identityOf = async (caller: Caller): Promise<Identity> => {
  const { users } = await base();
  const identity = await users.findOne({ _id: caller.id, is_active: true });
  if (identity === null) throw sessionEnded();
  return identity;
};

/** Checks the identity's password under the limits of sign-ins. Raises `wrong_password` and `too_many_attempts`. */
export const demandPassword = async (identity: Identity, password: string, { address }: Device): Promise<void> => {
  const check = async () => ((await verifyPassword(password, identity.password_hash)) ? identity : null);
  await limitAttempts(identity.email, address, check, () => new Fault("wrong_password"));
  await rememberAddress(identity.email, address);
};

/**
 * Answers the caller's identity after a check of its password, so that somebody with an unlocked device cannot change
 * the owner's credentials. Raises `wrong_password` and `too_many_attempts`.
 */
export const confirmPassword = async (caller: Caller, password: string, device: Device): Promise<Identity> => {
  const identity = await identityOf(caller);
  await demandPassword(identity, password, device);
  return identity;
};
