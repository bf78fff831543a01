import { now } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import { type AuditType, base, type Caller, type LoginRequest } from "#shared/tenant/tenant";
import { audit } from "../audit.ts";
import { hashOf } from "../credentials/hashes.ts";
import type { Device } from "../sessions/device.ts";
import type { PrepareSession } from "../sessions/sessions.ts";
import { completeSignIn } from "./complete-sign-in.ts";
import { hasSameCredentials, takeTry } from "./login-requests.ts";
import { invalidCode } from "./refusals.ts";
import { completeRequest } from "./second-factor.ts";

/**
 * The caller's own pending request, by its secret id or by the id in the list of pending sign-ins.
 * Raises `sign_in_not_found` and `sign_in_decided`.
 */
const waiting = async (caller: Caller, sessionId: string): Promise<LoginRequest> => {
  const { loginRequests } = await base();
  const own = { _id: { $in: [sessionId, hashOf(sessionId)] }, user_id: caller.id, expires_at: { $gt: now() } };
  const request = await loginRequests.findOne(own);
  if (request === null) throw new Fault("sign_in_not_found");
  if (request.status !== "pending") throw new Fault("sign_in_decided");
  return request;
};

const DECISIONS = { approved: "sign_in_approved", rejected: "sign_in_rejected" } as const satisfies Record<
  string,
  AuditType
>;

const decide = async (
  caller: Caller,
  request: LoginRequest,
  status: keyof typeof DECISIONS,
  device: Device,
): Promise<void> => {
  const { loginRequests } = await base();
  const decided = await loginRequests.updateOne({ _id: request._id, status: "pending" }, { $set: { status } });
  if (decided.matchedCount !== 1) throw new Fault("sign_in_decided");
  const { id, session_id, organization_id } = caller;
  const organizations = [organization_id];
  await audit({ type: DECISIONS[status], user_id: id, organizations, session_id, device });
};

const NO_FACTOR = "This device was signed in without a second factor and cannot be one for another. Use the code.";

/**
 * Approves a pending sign-in of the caller from a device that is signed in. Only the device that signs in shows the
 * number, so nobody approves a sign-in that somebody else has begun. A device that signed in without a second factor
 * cannot approve. Raises `sign_in_not_found`, `sign_in_decided`, `second_factor_required` and `wrong_number`; five
 * wrong tries end the request.
 */
export const approveSignIn = async (
  caller: Caller,
  { session_id, number }: { readonly session_id: string; readonly number: string },
  device: Device,
): Promise<void> => {
  const request = await waiting(caller, session_id);
  if (!caller.second_factor) throw new Fault("second_factor_required", { message: NO_FACTOR });
  if (!(await takeTry(request)) || request.number !== number) throw new Fault("wrong_number");
  await decide(caller, request, "approved", device);
};

/** Rejects a pending sign-in of the caller. Raises `sign_in_not_found` and `sign_in_decided`. */
export const rejectSignIn = async (caller: Caller, sessionId: string, device: Device): Promise<void> =>
  decide(caller, await waiting(caller, sessionId), "rejected", device);

export interface SignInStatus<A> {
  readonly status: LoginRequest["status"] | "expired";
  /** The answer of the session, if this request completed the sign-in. */
  readonly entered?: A;
}

const codeOf = (error: unknown): string => (error instanceof Fault ? error.code : "");

/** The status of a sign-in. Once another device has approved it, the first request completes it. */
export const signInStatus = async <A>(
  { email, session_id }: { readonly email: string; readonly session_id: string },
  device: Device,
  prepare: PrepareSession<A>,
): Promise<SignInStatus<A>> => {
  const { users, loginRequests } = await base();
  const [identity, request] = await Promise.all([
    users.findOne({ email, is_active: true }),
    loginRequests.findOne({ _id: hashOf(session_id) }),
  ]);
  if (identity === null || request === null || request.user_id !== identity._id) return { status: "expired" };
  const { status } = request;
  if (status === "completed" || status === "rejected") return { status };
  if (request.expires_at <= now() || !hasSameCredentials(request, identity)) return { status: "expired" };
  if (status === "pending") return { status };
  try {
    const alongside = completeRequest(request, "approved");
    const how = { device, second_factor: true, alongside };
    return { status, entered: await completeSignIn({ identity, prepare, ...how, refusal: invalidCode }) };
  } catch (error) {
    if (codeOf(error) !== "invalid_code") throw error;
    // Another request has completed it meanwhile, or the password has changed.
    const current = await loginRequests.findOne({ _id: request._id });
    return { status: current?.status === "completed" ? "completed" : "expired" };
  }
};
