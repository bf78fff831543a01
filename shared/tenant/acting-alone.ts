import { ACCESS_TOKEN_SECONDS } from "#shared/foundation/tokens/tokens";
import { isFromBefore } from "./activation.ts";
import type { AdmittedSession, Grants } from "./documents.ts";

export const isAdministrator = ({ is_active, is_account_owner, is_account_admin }: Grants): boolean =>
  is_active && (is_account_owner === true || is_account_admin === true);

/**
 * Sessions in which a client acts alone have the lifetime of an access token. Those from before it was stored who answers
 * for the client are known by that alone.
 */
const isUnanswered = ({ client_id, responsible, created_date, expires_at }: AdmittedSession): boolean => {
  if (client_id === undefined || responsible !== undefined) return false;
  return created_date === undefined || expires_at.getTime() - created_date.getTime() <= ACCESS_TOKEN_SECONDS * 1000;
};

/**
 * What the caller may do in the session. A client that acts alone has the least of what its user holds and what the
 * administrator who answers for it holds, at this moment, and never an owner's rights. An administrator holds all that a
 * user without these rights can hold, so the least is the user's own. Null if the client may do nothing.
 */
export const grantsWithin = (
  session: AdmittedSession,
  user: Grants,
  responsible: Grants | undefined,
): Grants | null => {
  if (isUnanswered(session)) return null;
  if (session.responsible === undefined) return user;
  const answers = responsible !== undefined && responsible._id === session.responsible && isAdministrator(responsible);
  if (!answers || isFromBefore(responsible, session.created_date)) return null;
  return { ...user, is_account_owner: false, is_account_admin: isAdministrator(user) };
};
