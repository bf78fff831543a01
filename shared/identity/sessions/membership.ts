import { now } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import {
  beganBeforeActivation,
  forgetPlacement,
  type Identity,
  type OrganizationState,
  openOrganization,
  STATE_COLLECTION,
  type UserRights,
} from "#shared/tenant/tenant";

/** The organization's state and the person's record there, or null if there is no such organization. */
const readStateAndUser = async (organizationId: string, userId: string) => {
  const database = await openOrganization(organizationId);
  if (database === null) return null;
  const [state, user] = await Promise.all([
    database.collection<OrganizationState>(STATE_COLLECTION).findOne({ _id: organizationId }),
    database.collection<UserRights>("user").findOne({ _id: userId }, { projection: { is_active: 1, active_since: 1 } }),
  ]);
  return state === null ? null : { state, user };
};

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
 * and `second_factor_required` a second factor first.
 */
export type Membership = "none" | "sign_in_required" | "second_factor_required" | "active";

/**
 * A person can work in an active organization if their user record there is active, was not activated again since they
 * signed in, and they have given the second factor that it may require.
 */
export const membershipIn = async (
  organizationId: string,
  { id, second_factor, begun }: SignedInPerson,
): Promise<Membership> => {
  let found = await readStateAndUser(organizationId, id);
  if (found === null) {
    // The organization may have moved to another cluster.
    forgetPlacement(organizationId);
    found = await readStateAndUser(organizationId, id);
  }
  if (found?.state.status !== "active" || found.user?.is_active !== true) return "none";
  if (beganBeforeActivation(found.user, begun)) return "sign_in_required";
  return found.state.second_factor_required === true && !second_factor ? "second_factor_required" : "active";
};

/** Raises `not_a_member` and `second_factor_required`. */
export const demandMembership = async (organizationId: string, person: SignedInPerson): Promise<void> => {
  const membership = await membershipIn(organizationId, person);
  if (membership === "none") throw new Fault("not_a_member");
  if (membership === "sign_in_required") {
    const message =
      "You have been activated again in this organization since you signed in. Sign in again to work in it.";
    throw new Fault("not_a_member", { message });
  }
  if (membership === "second_factor_required") throw new Fault("second_factor_required");
};

type Person = Pick<Identity, "_id" | "organizations">;

/** The preferred organization if the person can work there, else the first of theirs where they can, else null. */
export const chooseOrganization = async (
  { _id: id, organizations }: Person,
  preferred: string | null,
  proof: SignInProof,
): Promise<string | null> => {
  const ids = organizations.map((one) => one.id);
  const inOrder =
    preferred !== null && ids.includes(preferred) ? [preferred, ...ids.filter((one) => one !== preferred)] : ids;
  for (const one of inOrder) {
    if ((await membershipIn(one, { id, ...proof })) === "active") return one;
  }
  return null;
};

/** Whether any organization that the person can work in requires a second factor of everybody. */
export const isSecondFactorRequired = async ({ _id: id, organizations }: Person): Promise<boolean> => {
  const nothing = { second_factor: false, begun: now() };
  const memberships = await Promise.all(organizations.map((one) => membershipIn(one.id, { id, ...nothing })));
  return memberships.includes("second_factor_required");
};
