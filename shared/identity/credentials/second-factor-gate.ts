import { Fault } from "#shared/foundation/faults";
import { base, type Caller, type Identity } from "#shared/tenant/tenant";
import { isSecondFactorRequired } from "../sessions/membership.ts";
import { setSecondFactor } from "../sessions/session-replicas.ts";

/**
 * Where an organization requires a second factor, one is asked for before another is set up: else who has only the password,
 * and a session of before, would make a factor of their own. Raises `second_factor_required`.
 */
export const refuseUnproven = async (caller: Caller, identity: Identity): Promise<void> => {
  if (caller.second_factor || !(await isSecondFactorRequired(identity))) return;
  const message = "An organization of yours requires a second factor. Sign in again with a code, then set up the app.";
  throw new Fault("second_factor_required", { message });
};

/** Notes that a second factor was given in a session that goes on, and tells every organization where it acts. */
export const noteSecondFactor = async (sessionId: string): Promise<void> => {
  const { sessions } = await base();
  const session = await sessions.findOneAndUpdate(
    { _id: sessionId },
    { $set: { second_factor: true } },
    { returnDocument: "after" },
  );
  if (session !== null) await setSecondFactor(session);
};
