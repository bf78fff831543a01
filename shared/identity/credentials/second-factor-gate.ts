import { Fault } from "#shared/foundation/faults";
import { base, type Caller, type Identity } from "#shared/tenant/tenant";
import { isSecondFactorRequired } from "../sessions/membership.ts";
import { replicateSecondFactor } from "../sessions/session-replicas.ts";

/**
 * Refuses to set up a second factor from a session without one, if an organization of the person requires it. Otherwise
 * somebody with the password and an older session could set up a factor of their own. Raises `second_factor_required`.
 */
export const refuseWithoutSecondFactor = async (caller: Caller, identity: Identity): Promise<void> => {
  if (caller.second_factor || !(await isSecondFactorRequired(identity))) return;
  const message = "An organization of yours requires a second factor. Sign in again with a code, then set up the app.";
  throw new Fault("second_factor_required", { message });
};

/** Records that a second factor was given in a running session, in the base database and in its replicas. */
export const recordSecondFactor = async (sessionId: string): Promise<void> => {
  const { sessions } = await base();
  const session = await sessions.findOneAndUpdate(
    { _id: sessionId },
    { $set: { second_factor: true } },
    { returnDocument: "after" },
  );
  if (session !== null) await replicateSecondFactor(session);
};
