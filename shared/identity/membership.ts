import type { OrganizationListEntry } from "../tenant/tenant.ts";
import {
  forgetPlacement,
  type Grants,
  type OrganizationState,
  openOrganization,
  STATE_COLLECTION,
} from "../tenant/tenant.ts";

/** The organization's state and the person's record there, or null if there is no such organization. */
const readMembership = async (organizationId: string, userId: string) => {
  const database = await openOrganization(organizationId);
  if (database === null) return null;
  const [state, user] = await Promise.all([
    database.collection<OrganizationState>(STATE_COLLECTION).findOne({ _id: organizationId }),
    database.collection<Grants>("user").findOne({ _id: userId }, { projection: { is_active: 1 } }),
  ]);
  return state === null ? null : { state, user };
};

/** Whether a person can work in an organization now: it is active, and so is their user record there. */
export const isActiveMember = async (organizationId: string, userId: string): Promise<boolean> => {
  let membership = await readMembership(organizationId, userId);
  if (membership === null) {
    // The organization may have moved to another cluster since this environment last looked.
    forgetPlacement(organizationId);
    membership = await readMembership(organizationId, userId);
  }
  return membership?.state.status === "active" && membership.user?.is_active === true;
};

/** The preferred organization if the person can work there, else the first of theirs where they can, else null. */
export const chooseOrganization = async (
  identity: { readonly _id: string; readonly organizations: readonly OrganizationListEntry[] },
  preferred: string | null,
): Promise<string | null> => {
  const ids = identity.organizations.map(({ id }) => id);
  const inOrder =
    preferred !== null && ids.includes(preferred) ? [preferred, ...ids.filter((id) => id !== preferred)] : ids;
  for (const id of inOrder) {
    if (await isActiveMember(id, identity._id)) return id;
  }
  return null;
};
