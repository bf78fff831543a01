import type { Document } from "mongodb";
import { nowMillis } from "../clock.ts";
import { Fault } from "../faults.ts";
import { type AccessClaims, verifyAccessToken } from "../tokens/tokens.ts";
import { base } from "./base.ts";
import type { Session } from "./base-documents.ts";
import type { Caller, Tenant, TenantDatabase } from "./database.ts";
import { type Grants, type OrganizationState, STATE_COLLECTION } from "./documents.ts";
import { forgetPlacement, openOrganization } from "./organizations.ts";

const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;

const unauthenticated = (error: string, message: string): Fault =>
  new Fault("unauthenticated", {
    message,
    headers: { "www-authenticate": `Bearer realm="tenantry", error="${error}", error_description="${message}"` },
  });

/** RFC 6750 §3: a request without any token is told the scheme and nothing else. */
const noToken = (): Fault =>
  new Fault("unauthenticated", { headers: { "www-authenticate": 'Bearer realm="tenantry"' } });

const invalidToken = (): Fault => unauthenticated("invalid_token", "The access token is not valid or has expired.");

const endedSession = (): Fault => unauthenticated("invalid_token", "The session of this access token has ended.");

interface Standing {
  readonly state: OrganizationState;
  readonly grants: Grants | undefined;
}

const GRANTS: Document = {
  email: 1,
  name: 1,
  is_active: 1,
  is_account_owner: 1,
  is_account_admin: 1,
  permissions: 1,
  role: 1,
};

/** The organization's state and the caller's user record in one command. */
const readStanding = async (database: TenantDatabase, userId: string): Promise<Standing | null> => {
  const [found] = await database
    .collection<OrganizationState>(STATE_COLLECTION)
    .aggregate<OrganizationState & { caller: Grants[] }>([
      { $match: { _id: database.organization_id } },
      { $lookup: { from: "user", pipeline: [{ $match: { _id: userId } }, { $project: GRANTS }], as: "caller" } },
    ])
    .toArray();
  if (found === undefined) return null;
  const { caller, ...state } = found;
  return { state, grants: caller[0] };
};

const readSession = async (claims: AccessClaims): Promise<Session | null> =>
  (await base()).sessions.findOne({ _id: claims.sid, user_id: claims.sub });

const idOf = (reference: { id: string } | string): string => (typeof reference === "string" ? reference : reference.id);

const callerOf = (claims: AccessClaims, session: Session, grants: Grants): Caller => {
  const owner = grants.is_account_owner === true;
  return {
    id: claims.sub,
    email: grants.email,
    name: grants.name,
    session_id: claims.sid,
    organization_id: claims.org,
    scope: session.scope,
    is_admin: owner || grants.is_account_admin === true || session.is_superuser,
    is_account_owner: owner,
    is_superuser: session.is_superuser,
    permissions: (grants.permissions ?? []).map(idOf),
    role: grants.role ? idOf(grants.role) : null,
  };
};

const open = async (
  claims: AccessClaims,
): Promise<{ database: TenantDatabase; session: Session; standing: Standing }> => {
  const database = await openOrganization(claims.org);
  if (database === null) throw invalidToken();
  const [session, standing] = await Promise.all([readSession(claims), readStanding(database, claims.sub)]);
  if (session === null || session.expires_at.getTime() <= nowMillis()) throw endedSession();
  if (standing !== null) return { database, session, standing };
  // The organization may have moved to another cluster since this environment last looked.
  forgetPlacement(claims.org);
  const moved = await openOrganization(claims.org);
  const found = moved === null ? null : await readStanding(moved, claims.sub);
  if (moved === null || found === null) throw invalidToken();
  return { database: moved, session, standing: found };
};

/**
 * From the Authorization header to the caller's own database: the only way to tenant data for a request.
 * One round trip reads the session, the caller's grants and the organization's state; nothing of it is cached.
 * Raises `unauthenticated` and `organization_suspended`.
 */
export const routeTenant = async (authorization: string | undefined): Promise<Tenant> => {
  if (authorization === undefined || authorization === "") throw noToken();
  const token = BEARER.exec(authorization)?.[1];
  if (token === undefined)
    throw unauthenticated("invalid_request", "The Authorization header must be: Bearer <access token>.");
  const claims = await verifyAccessToken(token);
  if (claims === null) throw invalidToken();
  const { database, session, standing } = await open(claims);
  if (standing.grants === undefined || !standing.grants.is_active) throw endedSession();
  if (standing.state.status !== "active") throw new Fault("organization_suspended");
  return { ...database, caller: callerOf(claims, session, standing.grants), state: standing.state };
};
