import { randomBytes } from "node:crypto";
import { now, nowMillis, nowSeconds } from "#shared/foundation/clock";
import { env } from "#shared/foundation/env";
import { Fault } from "#shared/foundation/faults";
import { openSecret, sealSecret } from "#shared/foundation/secrets/secrets";
import { base, type Caller } from "#shared/tenant/tenant";
import type { Device } from "../sessions/device.ts";
import { limitCodes } from "../sign-in/attempts.ts";
import { unchanged } from "../sign-in/complete-sign-in.ts";
import { changeCredentials } from "./credential-change.ts";
import { confirmPassword, identityOf } from "./reauthentication.ts";
import { newRecoveryCodes, recoveryCodeHash } from "./recovery-codes.ts";
import { recordSecondFactor, refuseWithoutSecondFactor } from "./second-factor-gate.ts";
import { base32, matchingStep, otpauthUri } from "./totp.ts";
import { acceptTotp, totpPurpose } from "./totp-factor.ts";

/** RFC 4226 §4, R6. */
const SECRET_BYTES = 20;
const ENROLMENT_MS = 15 * 60_000;

const wrongCode = (): Fault => new Fault("wrong_code");

export interface TotpEnrolment {
  /** Base32. */
  readonly secret: string;
  readonly otpauth_uri: string;
  readonly expires_at: string;
}

/**
 * Creates a secret for the caller's authenticator app. It is used once `confirmTotp` was given a code of it.
 * Raises `wrong_password`, `too_many_attempts`, `totp_enabled` and `second_factor_required`.
 */
export const enrolTotp = async (caller: Caller, password: string, device: Device): Promise<TotpEnrolment> => {
  const identity = await confirmPassword(caller, password, device);
  if (identity.two_factor === "totp") throw new Fault("totp_enabled");
  await refuseWithoutSecondFactor(caller, identity);
  const secret = randomBytes(SECRET_BYTES);
  const expires_at = new Date(nowMillis() + ENROLMENT_MS);
  const sealed = await sealSecret(secret, totpPurpose(identity._id));
  const { users } = await base();
  await users.updateOne(unchanged(identity), { $set: { totp_enrolment: { secret: { ...sealed }, expires_at } } });
  const otpauth_uri = otpauthUri(secret, `Tenantry (${new URL(env.issuer()).host})`, identity.email);
  return { secret: base32(secret), otpauth_uri, expires_at: expires_at.toISOString() };
};

/**
 * Turns the authenticator app on with its first code. The session then counts as one with a second factor, and every
 * other session of the person ends. Answers recovery codes, which are never shown again. Raises `totp_enabled`,
 * `totp_not_enabled`, `second_factor_required`, `wrong_code` and `too_many_attempts`.
 */
export const confirmTotp = async (caller: Caller, code: string, device: Device): Promise<string[]> => {
  const identity = await identityOf(caller);
  const { totp_enrolment: enrolment, two_factor } = identity;
  if (two_factor === "totp") throw new Fault("totp_enabled");
  if (enrolment === undefined || enrolment.expires_at <= now()) throw new Fault("totp_not_enabled");
  await refuseWithoutSecondFactor(caller, identity);
  const secret = await openSecret(enrolment.secret, totpPurpose(identity._id));
  const check = async () => matchingStep(secret, code, { seconds: nowSeconds(), after: 0 });
  const last_step = await limitCodes(identity._id, check, wrongCode);
  const codes = newRecoveryCodes();
  const recovery_codes = codes.map(recoveryCodeHash);
  const confirmed = await changeCredentials({
    identity,
    device,
    keep: caller,
    type: "totp_enabled",
    where: { "totp_enrolment.secret.text": enrolment.secret.text },
    update: {
      $set: {
        two_factor: "totp",
        totp: { secret: enrolment.secret, last_step, recovery_codes, before: two_factor },
        modified_date: now(),
      },
      $unset: { totp_enrolment: "" },
    },
  });
  if (!confirmed) throw new Fault("totp_not_enabled");
  await recordSecondFactor(caller.session_id);
  return codes;
};

/**
 * Turns the authenticator app off, with the password and a code, and restores the factor from before. Every other
 * session of the person ends. Raises `wrong_password`, `wrong_code`, `too_many_attempts` and `totp_not_enabled`.
 */
export const disableTotp = async (
  caller: Caller,
  { password, code }: { readonly password: string; readonly code: string },
  device: Device,
): Promise<void> => {
  const identity = await confirmPassword(caller, password, device);
  if (identity.two_factor !== "totp") throw new Fault("totp_not_enabled");
  const { where } = await limitCodes(identity._id, () => acceptTotp(identity, code), wrongCode);
  const two_factor = identity.totp?.before ?? "off";
  const update = { $set: { two_factor, modified_date: now() }, $unset: { totp: "" } };
  const keep = caller;
  if (!(await changeCredentials({ identity, device, keep, type: "totp_disabled", where, update }))) throw wrongCode();
};
