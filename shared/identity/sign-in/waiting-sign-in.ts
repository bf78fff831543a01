import { now } from "#shared/foundation/clock";
import { base, type Identity, type LoginRequest } from "#shared/tenant/tenant";
import { hashOf } from "../credentials/hashes.ts";
import { isOfThese } from "./login-requests.ts";

/** A sign-in that waits for its second factor, for whoever began it. */
export interface WaitingSignIn {
  readonly email: string;
  /** Where the code comes from: a mail, which people without a factor of their own are sent too, or their app. */
  readonly factor: Exclude<Identity["two_factor"], "off">;
  /** What the approving device must repeat. */
  readonly number: string;
  readonly status: Exclude<LoginRequest["status"], "completed">;
}

/** Null once it is completed or past its time, and if the person's credentials are others by now. */
export const waitingSignIn = async (sessionId: string): Promise<WaitingSignIn | null> => {
  const { users, loginRequests } = await base();
  const request = await loginRequests.findOne({ _id: hashOf(sessionId), expires_at: { $gt: now() } });
  if (request === null || request.status === "completed") return null;
  const identity = await users.findOne({ _id: request.user_id, is_active: true });
  if (identity === null || !isOfThese(request, identity)) return null;
  const factor = identity.two_factor === "totp" ? "totp" : "email";
  return { email: identity.email, factor, number: request.number, status: request.status };
};
