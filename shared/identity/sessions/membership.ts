import { now } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import {
  beganBeforeActivation,
  type Identity,
  isActiveInParent,
  isGated,
  notRegisteredCopy,
  type OrganizationState,
  readOrganization,
  STATE_COLLECTION,
  sandboxRefreshing,
  type TenantDatabase,
  type UserRights,
} from "#shared/tenant/tenant";

/** How a person signed in: with a second factor or without, and when. */
export interface SignInProof {
  readonly second_factor: boolean;
  /** When the session began, or when the code for an app was issued. */
  readonly begun: Date;
}

export interface SignedInPerson extends SignInProof {
  readonly id: string;
}

/**
 * Whether a person can work in an organization: `none` if not, `active` if so. `sign_in_required` needs a new sign-in
 * and `second_factor_required` a second factor first. `unavailable`: they can, but not at this moment, because the
 * sandbox is being refreshed or the organization is being moved.
 */
export type Membership = "none" | "sign_in_required" | "second_factor_required" | "unavailable" | "active";

interface Standing {
  readonly membership: Membership;
  /** Raised where the organization must be available. */
  readonly unavailable?: Fault;
}

/** The organization's state and the person's record there, or null if there is no such organization. */
const readStateAndUser = async (database: TenantDatabase, userId: string) => {
  const { collection, organization_id } = database;
  const [state, user, isInParent] = await Promise.all([
    collection<OrganizationState>(STATE_COLLECTION).findOne({ _id: organization_id }),
    collection<UserRights>("user").findOne({ _id: userId }, { projection: { is_active: 1, active_since: 1 } }),
    isActiveInParent(database, userId),
  ]);
  return state === null ? null : { state, user: isInParent ? user : null };
};

const standingIn = async (organizationId: string, { id, second_factor, begun }: SignedInPerson): Promise<Standing> => {
  const organization = await readOrganization(organizationId, (database) => readStateAndUser(database, id));
  if (organization === null) return { membership: "none" };
  const { database, found, isRegistered } = organization;
  const { state, user } = found;
  if ((state.status !== "active" && !isGated(state.status)) || user?.is_active !== true) return { membership: "none" };
  if (beganBeforeActivation(user, begun)) return { membership: "sign_in_required" };
  if (state.second_factor_required === true && !second_factor) return { membership: "second_factor_required" };
  if (isGated(state.status)) return { membership: "unavailable", unavailable: sandboxRefreshing() };
  return isRegistered
    ? { membership: "active" }
    : { membership: "unavailable", unavailable: notRegisteredCopy(database) };
};

/**
 * A person can work in an active organization if their user record there is active, was not activated again since they
 * signed in, and they have given the second factor that it may require.
 */
const membershipIn = async (organizationId: string, person: SignedInPerson): Promise<Membership> =>
  (await standingIn(organizationId, person)).membership;

/**
 * As `membershipIn`, where the organization must be available. Raises `sandbox_refreshing` and `database_unavailable`.
 */
export const presentMembershipIn = async (organizationId: string, person: SignedInPerson): Promise<Membership> => {
  const { membership, unavailable } = await standingIn(organizationId, person);
  if (unavailable !== undefined) throw unavailable;
  return membership;
};

/** Raises `not_a_member`, `second_factor_required`, `sandbox_refreshing` and `database_unavailable`. */
export const demandMembership = async (organizationId: string, person: SignedInPerson): Promise<void> => {
  const membership = await presentMembershipIn(organizationId, person);
  if (membership === "none") throw new Fault("not_a_member");
  if (membership === "sign_in_required") {
    const message =
      "You have been activated again in this organization since you signed in. Sign in again to work in it.";
    throw new Fault("not_a_member", { message });
  }
  if (membership === "second_factor_required") throw new Fault("second_factor_required");
};

type Person = Pick<Identity, "_id" | "organizations">;

/**
 * The preferred organization if the person can work there, else the first of theirs where they can, else null. A
 * preferred sandbox stays the choice while it is being refreshed: its token works as soon as the refresh has ended.
 */
export const chooseOrganization = async (
  { _id: id, organizations }: Person,
  preferred: string | null,
  proof: SignInProof,
): Promise<string | null> => {
  const ids = organizations.map((one) => one.id);
  const inOrder =
    preferred !== null && ids.includes(preferred) ? [preferred, ...ids.filter((one) => one !== preferred)] : ids;
  let unavailable: string | null = null;
  for (const one of inOrder) {
    const membership = await membershipIn(one, { id, ...proof });
    if (membership === "active" || (membership === "unavailable" && one === preferred)) return one;
    if (membership === "unavailable") unavailable ??= one;
  }
  return unavailable;
};

/** Whether any organization that the person can work in requires a second factor of everybody. */
export const isSecondFactorRequired = async ({ _id: id, organizations }: Person): Promise<boolean> => {
  const nothing = { second_factor: false, begun: now() };
  const memberships = await Promise.all(organizations.map((one) => membershipIn(one.id, { id, ...nothing })));
  return memberships.includes("second_factor_required");
};
