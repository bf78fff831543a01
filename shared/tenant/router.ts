import type { Document } from "mongodb";
import { nowMillis } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import { type AccessClaims, verifyAccessToken } from "#shared/foundation/tokens/tokens";
import { grantsWithin } from "./acting-alone.ts";
import { isFromBefore } from "./activation.ts";
import type { Caller, Tenant, TenantDatabase } from "./database.ts";
import {
  type AdmittedSession,
  type Grants,
  type OrganizationState,
  SESSION_COLLECTION,
  STATE_COLLECTION,
} from "./documents.ts";
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

/** What one request may rest on; read anew for each. */
interface Standing {
  readonly grants: Grants;
  readonly state: OrganizationState;
  readonly session: AdmittedSession | undefined;
  /** Who answers for a client that acts alone. */
  readonly responsible: Grants | undefined;
}

const GRANTS: Document = {
  email: 1,
  name: 1,
  is_active: 1,
  active_since: 1,
  is_account_owner: 1,
  is_account_admin: 1,
  permissions: 1,
  role: 1,
  time_zone: 1,
};

const withUser = (id: string): Document => ({
  $lookup: { from: "user", pipeline: [{ $match: { _id: id } }, { $project: GRANTS }], as: "responsible" },
});

/**
 * The caller's user record, the organization's state and the session, in one command. The token of a client that acts alone
 * names who answers for it, so only its requests read that user's record too.
 */
const standingPipeline = ({ sub, org, sid, responsible }: AccessClaims): Document[] => [
  { $match: { _id: sub } },
  { $project: GRANTS },
  { $lookup: { from: STATE_COLLECTION, pipeline: [{ $match: { _id: org } }], as: "state" } },
  { $lookup: { from: SESSION_COLLECTION, pipeline: [{ $match: { _id: sid, user_id: sub } }], as: "session" } },
  ...(responsible === undefined ? [] : [withUser(responsible)]),
];

type Joined = Grants & { state: OrganizationState[]; session: AdmittedSession[]; responsible?: Grants[] };

const readStanding = async (database: TenantDatabase, claims: AccessClaims): Promise<Standing | null> => {
  const [found] = (await database.read<Joined>("user", standingPipeline(claims)).next()) ?? [];
  const state = found?.state[0];
  if (found === undefined || state === undefined) return null;
  return { grants: found, state, session: found.session[0], responsible: found.responsible?.[0] };
};

const idOf = (reference: { id: string } | string): string => (typeof reference === "string" ? reference : reference.id);

const callerOf = (claims: AccessClaims, session: AdmittedSession, grants: Grants): Caller => {
  const owner = grants.is_account_owner === true;
  // An app never acts as an operator of the platform.
  const is_superuser = session.is_superuser && session.client_id === undefined;
  return {
    id: claims.sub,
    email: grants.email,
    name: grants.name,
    session_id: claims.sid,
    organization_id: claims.org,
    scope: claims.scope,
    client_id: session.client_id ?? null,
    responsible: session.responsible ?? null,
    is_admin: owner || grants.is_account_admin === true || is_superuser,
    is_account_owner: owner,
    is_superuser,
    second_factor: session.second_factor === true,
    permissions: (grants.permissions ?? []).map(idOf),
    role: grants.role ? idOf(grants.role) : null,
    time_zone: grants.time_zone ?? null,
  };
};

const open = async (claims: AccessClaims): Promise<{ database: TenantDatabase; standing: Standing }> => {
  const database = await openOrganization(claims.org);
  const standing = database === null ? null : await readStanding(database, claims);
  if (database !== null && standing !== null) return { database, standing };
  // The organization may have moved to another cluster since this environment last looked.
  forgetPlacement(claims.org);
  const moved = await openOrganization(claims.org);
  const found = moved === null ? null : await readStanding(moved, claims);
  if (moved === null || found === null) throw invalidToken();
  return { database: moved, standing: found };
};

/**
 * From the Authorization header to the caller's own database: the only way to tenant data for a request.
 * One command reads the session, the caller's grants and the organization's state; nothing of it is cached.
 * A session without the second factor that the organization requires gets no further, unless it is on its way out.
 * Raises `unauthenticated`, `organization_suspended` and `second_factor_required`.
 */
export const routeTenant = async (
  authorization: string | undefined,
  request_id: string,
  leaving = false,
): Promise<Tenant> => {
  if (authorization === undefined || authorization === "") throw noToken();
  const token = BEARER.exec(authorization)?.[1];
  if (token === undefined)
    throw unauthenticated("invalid_request", "The Authorization header must be: Bearer <access token>.");
  const claims = await verifyAccessToken(token);
  if (claims === null) throw invalidToken();
  const { database, standing } = await open(claims);
  const { session, state } = standing;
  if (session === undefined || session.expires_at.getTime() <= nowMillis()) throw endedSession();
  if (!standing.grants.is_active || isFromBefore(standing.grants, session.created_date)) throw endedSession();
  const grants = grantsWithin(session, standing.grants, standing.responsible);
  if (grants === null) throw endedSession();
  if (state.status !== "active") throw new Fault("organization_suspended");
  const caller = callerOf(claims, session, grants);
  if (state.second_factor_required === true && !caller.second_factor && !leaving)
    throw new Fault("second_factor_required");
  return { ...database, caller, state, request_id };
};
