import { now } from "#shared/foundation/clock";
import { base } from "#shared/tenant/tenant";
import { hashOf } from "../credentials/hashes.ts";
import { invalidRefreshToken } from "../sign-in/refusals.ts";
import { chooseOrganization } from "./membership.ts";
import { publishAndWrite } from "./session-replicas.ts";
import { type AccessTokenAnswer, accessTokenFor } from "./sessions.ts";

/**
 * A new access token for the session's active organization. If the person can no longer work there, or it now requires
 * a second factor that they have not given, it is for another of their organizations. The refresh token stays the same.
 * Raises `invalid_refresh_token` for every reason.
 */
export const refreshAccess = async (refreshToken: string): Promise<AccessTokenAnswer> => {
  const { refreshTokens, sessions, users } = await base();
  const at = now();
  const token = await refreshTokens.findOne({
    _id: hashOf(refreshToken),
    client_id: { $exists: false },
    expires_at: { $gt: at },
  });
  if (token === null) throw invalidRefreshToken();
  const [session, identity] = await Promise.all([
    sessions.findOne({ _id: token.session_id, user_id: token.user_id, expires_at: { $gt: at } }),
    users.findOne({ _id: token.user_id, is_active: true }),
  ]);
  if (session === null || identity === null) throw invalidRefreshToken();
  const { second_factor = false, created_date: begun } = session;
  const organizationId = await chooseOrganization(identity, session.organization_id, { second_factor, begun });
  if (organizationId === null) throw invalidRefreshToken();
  // Writing after publishing tells whether the session has ended or its rights have changed in between.
  const current = await publishAndWrite(session, organizationId, async () => {
    const found = await sessions.findOneAndUpdate(
      { _id: session._id, is_superuser: session.is_superuser },
      { $set: { organization_id: organizationId }, $addToSet: { organizations: organizationId } },
      { returnDocument: "after" },
    );
    if (found === null) throw invalidRefreshToken();
    return found;
  });
  return accessTokenFor(current, identity.email);
};
