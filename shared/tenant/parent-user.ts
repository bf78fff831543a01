import type { Document } from "mongodb";
import type { Copy } from "./counted-writes.ts";
import { type OrganizationState, STATE_COLLECTION, type UserRights } from "./documents.ts";
import { openOrganization } from "./organizations.ts";

type PaymentState = Pick<OrganizationState, "writes_end_at">;

/** What counts in a sandbox of the organization that it is a copy of. */
export interface ParentStanding extends PaymentState {
  /** Who leaves the organization has left its sandboxes too. */
  readonly isActive: boolean;
}

interface Row extends Pick<UserRights, "_id"> {
  readonly state: readonly PaymentState[];
}

const pipelineOf = (parentId: string, userId: string): Document[] => [
  { $match: { _id: userId, is_active: true } },
  { $project: { _id: 1 } },
  { $lookup: { from: STATE_COLLECTION, pipeline: [{ $match: { _id: parentId } }], as: "state" } },
  { $project: { "state.writes_end_at": 1 } },
];

/** In other organizations than sandboxes everybody counts as active here. */
export const standingInParent = async (
  { parent_id }: Pick<Copy, "parent_id">,
  userId: string,
): Promise<ParentStanding> => {
  if (parent_id === undefined) return { isActive: true };
  const parent = await openOrganization(parent_id);
  if (parent === null) return { isActive: false };
  const [row] = (await parent.read<Row>("user", pipelineOf(parent_id, userId)).next()) ?? [];
  const end = row?.state[0]?.writes_end_at;
  return { isActive: row !== undefined, ...(end !== undefined && { writes_end_at: end }) };
};

/** Whether the person is still active in the organization that a sandbox is a copy of. True for other organizations. */
export const isActiveInParent = async (copy: Pick<Copy, "parent_id">, userId: string): Promise<boolean> =>
  (await standingInParent(copy, userId)).isActive;
