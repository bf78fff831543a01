import type { Document } from "mongodb";
import { nowMillis } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import { type AccessClaims, type TokenRefusal, verifyAccessToken } from "#shared/foundation/tokens/tokens";
import { rightsWithin } from "./acting-alone.ts";
import { callerWith, RIGHTS_FIELDS, withUser } from "./caller.ts";
import type { Caller, Tenant, TenantDatabase } from "./database.ts";
import {
  beganBeforeActivation,
  type OrganizationState,
  SESSION_COLLECTION,
  type SessionReplica,
  STATE_COLLECTION,
  type UserRights,
} from "./documents.ts";
import { isGated, notRegisteredCopy, sandboxRefreshing } from "./gate.ts";
import { type OpenedOrganization, readOrganization } from "./organizations.ts";
import { standingInParent } from "./parent-user.ts";
import { withParentPayment } from "./payment.ts";

const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i;

const unauthenticated = (error: string, message: string, cause?: string): Fault =>
  new Fault("unauthenticated", {
    message,
    cause,
    headers: { "www-authenticate": `Bearer realm="tenantry", error="${error}", error_description="${message}"` },
  });

/** RFC 6750 §3: a request without a token is told only the scheme. */
const noToken = (): Fault =>
  new Fault("unauthenticated", { headers: { "www-authenticate": 'Bearer realm="tenantry"' } });

const invalidToken = (refusal: TokenRefusal | "unknown_organization"): Fault =>
  unauthenticated("invalid_token", "The access token is not valid or has expired.", refusal);

const endedSession = (): Fault => unauthenticated("invalid_token", "The session of this access token has ended.");

/** Everything that decides whether a request is let in. Read for each request. */
interface CallerState {
  readonly user: UserRights;
  readonly state: OrganizationState;
  readonly session: SessionReplica | undefined;
  /** The responsible administrator of a client that acts alone. */
  readonly responsible: UserRights | undefined;
}

/**
 * The caller's user record, the organization's state and the session, in one command. The token of a client that acts
 * alone names its responsible administrator, so only its requests read that user record too.
 */
const callerStatePipeline = ({ sub, org, sid, responsible }: AccessClaims): Document[] => [
  { $match: { _id: sub } },
  { $project: RIGHTS_FIELDS },
  { $lookup: { from: STATE_COLLECTION, pipeline: [{ $match: { _id: org } }], as: "state" } },
  { $lookup: { from: SESSION_COLLECTION, pipeline: [{ $match: { _id: sid, user_id: sub } }], as: "session" } },
  ...(responsible === undefined ? [] : [withUser(responsible)]),
];

type Joined = UserRights & { state: OrganizationState[]; session: SessionReplica[]; responsible?: UserRights[] };

const readCallerState = async (database: TenantDatabase, claims: AccessClaims): Promise<CallerState | null> => {
  const [rows, parent] = await Promise.all([
    database.read<Joined>("user", callerStatePipeline(claims)).next(),
    standingInParent(database, claims.sub),
  ]);
  const user = rows?.[0];
  const state = user?.state[0];
  if (user === undefined || state === undefined) return null;
  return {
    user: parent.isActive ? user : { ...user, is_active: false },
    state: withParentPayment(state, parent),
    session: user.session[0],
    responsible: user.responsible?.[0],
  };
};

/** An app never acts as an operator of the platform. */
const callerOf = (claims: AccessClaims, session: SessionReplica, rights: UserRights): Caller =>
  callerWith(rights, {
    session_id: claims.sid,
    organization_id: claims.org,
    scope: claims.scope,
    client_id: session.client_id ?? null,
    responsible: session.responsible ?? null,
    is_superuser: session.is_superuser && session.client_id === undefined,
    second_factor: session.second_factor === true,
  });

const open = async (claims: AccessClaims): Promise<OpenedOrganization<CallerState>> => {
  const organization = await readOrganization(claims.org, (database) => readCallerState(database, claims));
  if (organization === null || organization.found.state.status === "deleting")
    throw invalidToken("unknown_organization");
  return organization;
};

/** Raises `sandbox_refreshing`, `organization_suspended` and `database_unavailable`. */
const refuseClosed = ({ database, found, isRegistered }: OpenedOrganization<CallerState>, leaves: boolean): void => {
  const { status } = found.state;
  if (isGated(status) && !leaves) throw sandboxRefreshing();
  if (status !== "active" && !isGated(status)) throw new Fault("organization_suspended");
  if (!isRegistered && !leaves) throw notRegisteredCopy(database);
};

/**
 * Leads from the Authorization header to the caller's database. The only way to tenant data for a request.
 * One command reads the session, the caller's rights and the organization's state. None of it is cached.
 * Refused without the required second factor and in a sandbox that is being refreshed, unless the route only leaves the
 * organization (logout and switch).
 * Raises `unauthenticated`, `organization_suspended`, `sandbox_refreshing` and `second_factor_required`.
 */
export const routeTenant = async (
  authorization: string | undefined,
  request_id: string,
  leaves = false,
): Promise<Tenant> => {
  if (authorization === undefined || authorization === "") throw noToken();
  const token = BEARER.exec(authorization)?.[1];
  if (token === undefined)
    throw unauthenticated("invalid_request", "The Authorization header must be: Bearer <access token>.");
  const { claims, refusal } = await verifyAccessToken(token);
  if (claims === undefined) throw invalidToken(refusal);
  const organization = await open(claims);
  const { database, found } = organization;
  const { session, state, user } = found;
  if (session === undefined || session.expires_at.getTime() <= nowMillis()) throw endedSession();
  if (!user.is_active || beganBeforeActivation(user, session.created_date)) throw endedSession();
  const rights = rightsWithin(session, user, found.responsible);
  if (rights === null) throw endedSession();
  refuseClosed(organization, leaves);
  const caller = callerOf(claims, session, rights);
  if (state.second_factor_required === true && !caller.second_factor && !leaves)
    throw new Fault("second_factor_required");
  return { ...database, caller, state, request_id };
};
