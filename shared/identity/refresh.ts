import { now } from "../clock.ts";
import { base } from "../tenant/tenant.ts";
import { chooseOrganization } from "./membership.ts";
import { invalidRefreshToken } from "./refusals.ts";
import { type AccessTokenAnswer, accessTokenFor, refreshTokenId } from "./sessions.ts";

/**
 * A new access token for the session's active organization, or for another of the person's if they have lost that one.
 * The refresh token stays as it is. Raises `invalid_refresh_token`, whatever the reason.
 */
export const refreshAccess = async (refreshToken: string): Promise<AccessTokenAnswer> => {
  const { refreshTokens, sessions, users } = await base();
  const at = now();
  const token = await refreshTokens.findOne({ _id: refreshTokenId(refreshToken), expires_at: { $gt: at } });
  if (token === null) throw invalidRefreshToken();
  const [session, identity] = await Promise.all([
    sessions.findOne({ _id: token.session_id, user_id: token.user_id, expires_at: { $gt: at } }),
    users.findOne({ _id: token.user_id, is_active: true }),
  ]);
  if (session === null || identity === null) throw invalidRefreshToken();
  const organizationId = await chooseOrganization(identity, session.organization_id);
  if (organizationId === null) throw invalidRefreshToken();
  if (organizationId === session.organization_id) return accessTokenFor(session, identity.email);
  const moved = await sessions.findOneAndUpdate(
    { _id: session._id, organization_id: session.organization_id },
    { $set: { organization_id: organizationId } },
    { returnDocument: "after" },
  );
  // Another refresh or a switch was faster; what it chose is as good. Or the session has just ended.
  const current = moved ?? (await sessions.findOne({ _id: session._id }));
  if (current === null) throw invalidRefreshToken();
  return accessTokenFor(current, identity.email);
};
