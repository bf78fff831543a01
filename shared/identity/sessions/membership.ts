import { now } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import {
  forgetPlacement,
  type Grants,
  type Identity,
  isFromBefore,
  type OrganizationState,
  openOrganization,
  STATE_COLLECTION,
} from "#shared/tenant/tenant";

/** The organization's state and the person's record there, or null if there is no such organization. */
const readMembership = async (organizationId: string, userId: string) => {
  const database = await openOrganization(organizationId);
  if (database === null) return null;
  const [state, user] = await Promise.all([
    database.collection<OrganizationState>(STATE_COLLECTION).findOne({ _id: organizationId }),
    database.collection<Grants>("user").findOne({ _id: userId }, { projection: { is_active: 1, active_since: 1 } }),
  ]);
  return state === null ? null : { state, user };
};

/** What somebody has to show for themselves: whether they have given a second factor, and when. */
export interface Proof {
  readonly second_factor: boolean;
  /** When what they come with began: a session, or a code for an app. */
  readonly begun: Date;
}

/** Who wants to work in an organization. */
export interface Entrant extends Proof {
  readonly id: string;
}

/**
 * What an organization is to somebody: one they cannot work in, one that wants a new sign-in or first asks for a second
 * factor, or one that is open.
 */
export type Entry = "closed" | "sign_in_required" | "second_factor_required" | "open";

/**
 * Somebody can work in an organization that is active if their user record there is active too, and has been since they began,
 * and they give what it requires.
 */
export const entryTo = async (organizationId: string, { id, second_factor, begun }: Entrant): Promise<Entry> => {
  let membership = await readMembership(organizationId, id);
  if (membership === null) {
    // The organization may have moved to another cluster since this environment last looked.
    forgetPlacement(organizationId);
    membership = await readMembership(organizationId, id);
  }
  if (membership?.state.status !== "active" || membership.user?.is_active !== true) return "closed";
  if (isFromBefore(membership.user, begun)) return "sign_in_required";
  return membership.state.second_factor_required === true && !second_factor ? "second_factor_required" : "open";
};

/** Raises `not_a_member` and `second_factor_required`. */
export const demandEntry = async (organizationId: string, entrant: Entrant): Promise<void> => {
  const entry = await entryTo(organizationId, entrant);
  if (entry === "closed") throw new Fault("not_a_member");
  if (entry === "sign_in_required") {
    const message =
      "You have been activated again in this organization since you signed in. Sign in again to work in it.";
    throw new Fault("not_a_member", { message });
  }
  if (entry === "second_factor_required") throw new Fault("second_factor_required");
};

type Person = Pick<Identity, "_id" | "organizations">;

/** The preferred organization if it is open to the person, else the first of theirs that is, else null. */
export const chooseOrganization = async (
  { _id: id, organizations }: Person,
  preferred: string | null,
  proof: Proof,
): Promise<string | null> => {
  const ids = organizations.map((one) => one.id);
  const inOrder =
    preferred !== null && ids.includes(preferred) ? [preferred, ...ids.filter((one) => one !== preferred)] : ids;
  for (const one of inOrder) {
    if ((await entryTo(one, { id, ...proof })) === "open") return one;
  }
  return null;
};

/** Whether any organization that the person can work in requires a second factor of everybody. */
export const isSecondFactorRequired = async ({ _id: id, organizations }: Person): Promise<boolean> => {
  const nothing = { second_factor: false, begun: now() };
  const entries = await Promise.all(organizations.map((one) => entryTo(one.id, { id, ...nothing })));
  return entries.includes("second_factor_required");
};
