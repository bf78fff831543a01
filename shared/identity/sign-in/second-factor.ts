import { randomInt } from "node:crypto";
import { queuePlatformMail } from "#shared/platform-mail/platform-mail";
import { base, type Identity, type LoginRequest } from "#shared/tenant/tenant";
import { audit, organizationsOf } from "../audit.ts";
import { hashPassword, verifyPassword } from "../credentials/password-hash.ts";
import { acceptTotp, type UsedCode } from "../credentials/totp-factor.ts";
import { confirmMailbox } from "../mail/email-confirmation.ts";
import { signInCodeMail } from "../mail/mails.ts";
import { notify, warnOfWrongCodes } from "../mail/notices.ts";
import type { Device } from "../sessions/device.ts";
import type { PrepareSession } from "../sessions/sessions.ts";
import { limitCodes } from "./attempts.ts";
import { completeSignIn, type SignInCompletion } from "./complete-sign-in.ts";
import { findPending, hasSameCredentials, openRequest, takeTry, withdrawRequest } from "./login-requests.ts";
import { invalidCode } from "./refusals.ts";

/** The answer to a right password of an account with a second factor. */
export interface SecondFactorRequest {
  readonly detail: "2FA Required";
  readonly two_fa_required: true;
  readonly email: string;
  /** Secret. With it the token is issued once another device has approved. */
  readonly session_id: string;
  /** The number that the approving device must repeat. */
  readonly number: string;
}

const newCode = (): string => String(randomInt(1_000_000)).padStart(6, "0");

/** If the mail cannot be queued, the request is deleted, so that it does not count for the limit. */
const mailCode = async (identity: Identity, sessionId: string, code: string, device: Device): Promise<void> => {
  try {
    await queuePlatformMail({ ...signInCodeMail(identity.email, code, device), kind: "sign_in_code" });
  } catch (error) {
    await withdrawRequest(sessionId);
    throw error;
  }
};

/**
 * Asks for the second factor of an identity whose password was right: a code by mail, unless they have an authenticator
 * app. `rehashed` is the hash of its password with the current costs, if the stored one has others. Raises
 * `too_many_attempts`, `invalid_credentials` and `dependency_unavailable`.
 */
export const requestSecondFactor = async (
  identity: Identity,
  device: Device,
  rehashed: string | undefined,
): Promise<SecondFactorRequest> => {
  const code = identity.two_factor === "totp" ? null : newCode();
  const codeHash = code === null ? null : await hashPassword(code);
  const { sessionId, number } = await openRequest(identity, device, { codeHash, rehashed });
  if (code !== null) await mailCode(identity, sessionId, code, device);
  const organizations = organizationsOf(identity);
  await audit({ type: "second_factor_asked", user_id: identity._id, organizations, device });
  const { email } = identity;
  return { detail: "2FA Required", two_fa_required: true, email, session_id: sessionId, number };
};

export interface CodeAttempt extends Device {
  /** Normalised. */
  readonly email: string;
  readonly code: string;
  readonly session_id?: string | undefined;
}

/** The changes of the identity that use up a right code. Null for a wrong one. */
const acceptCode = async (
  request: LoginRequest,
  identity: Identity,
  code: string,
): Promise<Partial<UsedCode> | null> => {
  if (request.code_hash === null) return acceptTotp(identity, code);
  return (await verifyPassword(code, request.code_hash)) ? {} : null;
};

/** Ends a request in the transaction that completes the sign-in. Of two concurrent ones, one raises `invalid_code`. */
export const completeRequest =
  (request: LoginRequest, from: LoginRequest["status"]): NonNullable<SignInCompletion<unknown>["alongside"]> =>
  async ({ loginRequests }, session) => {
    const done = await loginRequests.updateOne(
      { _id: request._id, status: from },
      { $set: { status: "completed" } },
      { session },
    );
    if (done.matchedCount !== 1) throw invalidCode();
  };

/** A right mailed code also confirms the email. */
const completeRequestByCode =
  (request: LoginRequest, identity: Identity, device: Device): NonNullable<SignInCompletion<unknown>["alongside"]> =>
  async (collections, session) => {
    await completeRequest(request, "pending")(collections, session);
    if (request.code_hash !== null) await confirmMailbox(identity, device, collections, session);
  };

/**
 * Completes a sign-in with the code of the second factor. Raises `invalid_code`, `too_many_attempts` and
 * `not_a_member`.
 */
export const verifySecondFactor = async <A>(attempt: CodeAttempt, prepare: PrepareSession<A>): Promise<A> => {
  const { users } = await base();
  const identity = await users.findOne({ email: attempt.email, is_active: true });
  const request = identity === null ? null : await findPending(identity._id, attempt.session_id, attempt.address);
  if (identity === null || request === null || !hasSameCredentials(request, identity)) throw invalidCode();
  const { notice, ...used } = await limitCodes(identity._id, async () => {
    if (!(await takeTry(request))) throw invalidCode();
    const right = await acceptCode(request, identity, attempt.code);
    if (right !== null) return right;
    const organizations = organizationsOf(identity);
    await audit({ type: "second_factor_refused", user_id: identity._id, organizations, device: attempt });
    await warnOfWrongCodes(identity, attempt);
    return null;
  });
  const alongside = completeRequestByCode(request, identity, attempt);
  const how = { device: attempt, second_factor: true, ...used, alongside };
  const answer = await completeSignIn({ identity, prepare, ...how, refusal: invalidCode });
  if (notice !== undefined) await notify(identity, notice, attempt);
  return answer;
};
