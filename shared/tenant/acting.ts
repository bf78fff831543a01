import type { Document } from "mongodb";
import type { Actor } from "#contracts/actor";
import { Fault } from "#shared/foundation/faults";
import { isAdministrator } from "./acting-alone.ts";
import { callerWith, RIGHTS_FIELDS, withUser } from "./caller.ts";
import type { Tenant, TenantDatabase } from "./database.ts";
import { beganBeforeActivation, type OrganizationState, STATE_COLLECTION, type UserRights } from "./documents.ts";
import { isGated, notRegisteredCopy, sandboxRefreshing } from "./gate.ts";
import { readOrganization } from "./organizations.ts";
import { standingInParent } from "./parent-user.ts";
import { withParentPayment } from "./payment.ts";

/** In whose name an execution acts. */
export interface ActingUser extends Actor {
  /** When the execution began. It ends for users who were deactivated after that, also if they are active again. */
  readonly began?: Date;
}

interface Found {
  readonly user: UserRights;
  readonly state: OrganizationState;
  readonly responsible: UserRights | undefined;
}

type Joined = UserRights & { state: OrganizationState[]; responsible?: UserRights[] };

const pipelineOf = (organizationId: string, { user_id, responsible }: ActingUser): Document[] => [
  { $match: { _id: user_id } },
  { $project: RIGHTS_FIELDS },
  { $lookup: { from: STATE_COLLECTION, pipeline: [{ $match: { _id: organizationId } }], as: "state" } },
  ...(responsible === null ? [] : [withUser(responsible)]),
];

const read =
  (acting: ActingUser) =>
  async (database: TenantDatabase): Promise<Found | null> => {
    const [rows, parent] = await Promise.all([
      database.read<Joined>("user", pipelineOf(database.organization_id, acting)).next(),
      standingInParent(database, acting.user_id),
    ]);
    const user = rows?.[0];
    const state = user?.state[0];
    if (user === undefined || state === undefined) return null;
    return {
      user: parent.isActive ? user : { ...user, is_active: false },
      state: withParentPayment(state, parent),
      responsible: user.responsible?.[0],
    };
  };

const refused = (message: string): Fault => new Fault("forbidden", { message });

/**
 * As for a session: an app that acts alone has only the rights that its administrator has too, and never an owner's.
 */
const rightsOf = ({ user, responsible }: Found, acting: ActingUser): UserRights => {
  const isOver = (rights: UserRights): boolean =>
    !rights.is_active || (acting.began !== undefined && beganBeforeActivation(rights, acting.began));
  if (isOver(user)) throw refused("The user in whose name this runs is not active.");
  if (acting.responsible === null) return user;
  const answers = responsible?._id === acting.responsible && isAdministrator(responsible) && !isOver(responsible);
  if (!answers) throw refused("The administrator who is responsible for this app is not one any more.");
  return { ...user, is_account_owner: false, is_account_admin: isAdministrator(user) };
};

/**
 * The tenant of an execution: a user's rights of this moment without a session, and never those of a superuser. Raises
 * `forbidden` for users who are unknown or inactive, `organization_suspended` and `sandbox_refreshing`.
 */
export const actingTenant = async (organizationId: string, acting: ActingUser, request_id: string): Promise<Tenant> => {
  const organization = await readOrganization(organizationId, read(acting));
  if (organization === null || organization.found.state.status === "deleting") {
    throw refused("The user in whose name this runs does not exist.");
  }
  const { database, found, isRegistered } = organization;
  const { status } = found.state;
  if (isGated(status)) throw sandboxRefreshing();
  if (status !== "active") throw new Fault("organization_suspended");
  if (!isRegistered) throw notRegisteredCopy(database);
  const { client_id, scope, responsible } = acting;
  const caller = callerWith(rightsOf(found, acting), {
    session_id: "",
    organization_id: organizationId,
    scope,
    client_id,
    responsible,
    is_superuser: false,
    second_factor: false,
  });
  return { ...database, caller, state: found.state, request_id };
};
