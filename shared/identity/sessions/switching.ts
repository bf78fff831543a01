import { Fault } from "#shared/foundation/faults";
import { base, type Caller } from "#shared/tenant/tenant";
import { sessionEnded } from "../sign-in/refusals.ts";
import { demandMembership } from "./membership.ts";
import { publishAndWrite } from "./session-replicas.ts";
import { accessTokenFor, newRefreshToken, type TokenAnswer } from "./sessions.ts";

/**
 * Makes another of the caller's organizations the active one of their session, and of their next sign-in. Raises
 * `not_a_member` (also for organizations that do not exist), `second_factor_required`, and `unauthenticated` if the
 * session ends meanwhile.
 */
export const switchOrganization = async (caller: Caller, organizationId: string): Promise<TokenAnswer> => {
  const { users, sessions, refreshTokens, transaction } = await base();
  const identity = await users.findOne({ _id: caller.id, is_active: true });
  const listed = identity?.organizations.some(({ id }) => id === organizationId) === true;
  if (!listed) throw new Fault("not_a_member");
  const before = await sessions.findOne({ _id: caller.session_id, user_id: caller.id });
  if (before === null) throw sessionEnded();
  await demandMembership(organizationId, { ...caller, begun: before.created_date });
  const { session, refreshToken } = await publishAndWrite(before, organizationId, () =>
    transaction(async (tx) => {
      const switched = await sessions.findOneAndUpdate(
        { _id: before._id, is_superuser: before.is_superuser },
        { $set: { organization_id: organizationId }, $addToSet: { organizations: organizationId } },
        { session: tx, returnDocument: "after" },
      );
      if (switched === null) throw sessionEnded();
      const { token, document } = newRefreshToken(switched);
      await refreshTokens.insertOne(document, { session: tx });
      await users.updateOne({ _id: caller.id }, { $set: { last_organization_id: organizationId } }, { session: tx });
      return { session: switched, refreshToken: token };
    }),
  );
  return { ...(await accessTokenFor(session, caller.email)), refresh_token: refreshToken };
};
