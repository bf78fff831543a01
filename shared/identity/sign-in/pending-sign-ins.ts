import { now } from "#shared/foundation/clock";
import { base, type Caller } from "#shared/tenant/tenant";

/**
 * The caller's own sign-ins that wait for their second factor, newest first. Neither the secret id nor the number: what is
 * answered as an id is the hash of the one, enough to decide and not to enter; the other must be read where the sign-in was
 * begun.
 */
export const listPendingSignIns = async ({ id }: Pick<Caller, "id">) => {
  const { loginRequests } = await base();
  const waiting = { user_id: id, status: "pending" as const, expires_at: { $gt: now() } };
  const found = await loginRequests.find(waiting, { sort: { created_date: -1 } }).toArray();
  return found.map(({ _id, address, user_agent, created_date, expires_at }) => ({
    session_id: _id,
    address,
    user_agent,
    created_date: created_date.toISOString(),
    expires_at: expires_at.toISOString(),
  }));
};
