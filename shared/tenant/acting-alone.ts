import { ACCESS_TOKEN_SECONDS } from "#shared/foundation/tokens/tokens";
import { beganBeforeActivation, type SessionReplica, type UserRights } from "./documents.ts";

export const isAdministrator = ({ is_active, is_account_owner, is_account_admin }: UserRights): boolean =>
  is_active && (is_account_owner === true || is_account_admin === true);

/**
 * Whether it is a session of a client that acts alone, from before the responsible administrator was stored in it. Such
 * a session is recognized by its lifetime, which is that of an access token.
 */
const isUnanswered = ({ client_id, responsible, created_date, expires_at }: SessionReplica): boolean => {
  if (client_id === undefined || responsible !== undefined) return false;
  return created_date === undefined || expires_at.getTime() - created_date.getTime() <= ACCESS_TOKEN_SECONDS * 1000;
};

/**
 * The rights of a session. A client that acts alone has only the rights that both its user and its responsible
 * administrator have at this moment, and never an owner's. An administrator has every right that an ordinary user can
 * have, so these are the user's own rights. Null if the client may do nothing.
 */
export const rightsWithin = (
  session: SessionReplica,
  user: UserRights,
  responsible: UserRights | undefined,
): UserRights | null => {
  if (isUnanswered(session)) return null;
  if (session.responsible === undefined) return user;
  const answers = responsible !== undefined && responsible._id === session.responsible && isAdministrator(responsible);
  if (!answers || beganBeforeActivation(responsible, session.created_date)) return null;
  return { ...user, is_account_owner: false, is_account_admin: isAdministrator(user) };
};
