import { now } from "#shared/foundation/clock";
import { Fault, refuseIfAny } from "#shared/foundation/faults";
import type { Caller, Identity } from "#shared/tenant/tenant";
import type { Device } from "../sessions/device.ts";
import { changeCredentials } from "./credential-change.ts";
import { hashPassword } from "./password-hash.ts";
import { type LeakedPasswords, passwordIssues, personalWords } from "./password-policy.ts";
import { confirmPassword } from "./reauthentication.ts";

/** Raises `validation_failed` for a password that the policy refuses. */
export const newPasswordHash = async (
  { email, organizations }: Identity,
  password: string,
  leaked: LeakedPasswords,
): Promise<string> => {
  refuseIfAny(passwordIssues(password, personalWords(email, ...organizations.map(({ name }) => name)), leaked));
  return hashPassword(password);
};

/**
 * Sets a new password for the caller and ends all of their other sessions.
 * Raises `wrong_password`, `too_many_attempts` and `validation_failed`.
 */
export const changePassword = async (
  caller: Caller,
  passwords: { readonly current_password: string; readonly password: string },
  device: Device,
  leaked: LeakedPasswords,
): Promise<void> => {
  const identity = await confirmPassword(caller, passwords.current_password, device);
  const password_hash = await newPasswordHash(identity, passwords.password, leaked);
  const update = { $set: { password_hash, modified_date: now() } };
  const type = "password_changed";
  const changed = await changeCredentials({ identity, type, device, keep: caller, update });
  if (!changed) throw new Fault("wrong_password");
};
