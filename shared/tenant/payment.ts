import { nowMillis } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import type { OrganizationState } from "./documents.ts";
import type { ParentStanding } from "./parent-user.ts";

/** The state of an organization as it counts for its users: a sandbox has paid if its parent has. */
export const withParentPayment = (
  state: OrganizationState,
  { writes_end_at }: Pick<ParentStanding, "writes_end_at">,
): OrganizationState => (writes_end_at === undefined ? state : { ...state, writes_end_at });

/** Raises `payment_required` in an organization that has not paid, where nothing may be written. */
export const requirePayment = ({ state }: { readonly state: Pick<OrganizationState, "writes_end_at"> }): void => {
  const { writes_end_at: end } = state;
  if (end !== undefined && end.getTime() <= nowMillis()) throw new Fault("payment_required");
};
