import type { Copy } from "./counted-writes.ts";
import type { UserRights } from "./documents.ts";
import { openOrganization } from "./organizations.ts";

/**
 * Whether the person is still active in the organization that a sandbox is a copy of: who leaves the organization has
 * left its sandboxes too. True for other organizations.
 */
export const isActiveInParent = async ({ parent_id }: Pick<Copy, "parent_id">, userId: string): Promise<boolean> => {
  if (parent_id === undefined) return true;
  const parent = await openOrganization(parent_id);
  if (parent === null) return false;
  const user = { $match: { _id: userId, is_active: true } };
  const rows = parent.read<Pick<UserRights, "_id">>("user", [user, { $project: { _id: 1 } }]);
  return ((await rows.next()) ?? []).length === 1;
};
