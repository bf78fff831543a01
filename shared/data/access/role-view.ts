import type { Document } from "mongodb";
import { estimateBytes } from "#shared/foundation/bounded-cache";
import { type Tenant, versionedCache } from "#shared/tenant/tenant";

type Reader = Pick<Tenant, "organization_id" | "generation" | "collection" | "state">;

/** Whose records a user sees because of their role. */
export interface RoleView {
  readonly user: string;
  /** The id of the user's role. */
  readonly role: string;
  /** The ids of the owners, with the user; all for a role with `view_access: "full"`. */
  readonly owners: "all" | ReadonlySet<string>;
}

/** What all users of a role have in common. */
interface Branch {
  /** Ids of users; null for all. */
  readonly members: readonly string[] | null;
}

const branches = versionedCache<Branch>({
  mostBytes: 16 * 1024 * 1024,
  bytesOf: ({ members }) => estimateBytes(members),
});

/** Longer chains of roles end here, which also ends circles. */
const MOST_LEVELS = 100;

type RoleDocument = Document & { _id: string };

const idsOf = (documents: readonly RoleDocument[]): string[] => documents.map(({ _id }) => _id);

/** The roles below, level by level. */
const rolesBelow = async (tenant: Reader, role: string): Promise<string[]> => {
  const found = new Set([role]);
  let level = [role];
  for (let depth = 0; level.length > 0 && depth < MOST_LEVELS; depth += 1) {
    const children = await tenant
      .collection<RoleDocument>("role")
      .find({ "parent.id": { $in: level } }, { projection: { _id: 1 } })
      .toArray();
    level = idsOf(children).filter((id) => !found.has(id));
    for (const id of level) found.add(id);
  }
  found.delete(role);
  return [...found];
};

const usersWith = async (tenant: Reader, roles: readonly string[]): Promise<string[]> =>
  idsOf(
    await tenant
      .collection<RoleDocument>("user")
      .find({ "role.id": { $in: [...roles] } }, { projection: { _id: 1 } })
      .toArray(),
  );

/** A role that is gone or malformed shows no more than a personal one. */
const readBranch = async (tenant: Reader, role: string): Promise<Branch> => {
  const record = await tenant
    .collection<RoleDocument>("role")
    .findOne({ _id: role }, { projection: { view_access: 1 } });
  switch (record?.view_access) {
    case "full":
      return { members: null };
    case "team":
      return { members: await usersWith(tenant, [role]) };
    case "subordinate":
      return { members: await usersWith(tenant, [role, ...(await rolesBelow(tenant, role))]) };
    default:
      return { members: [] };
  }
};

/**
 * The owners whose records a user with this role sees. Each level includes the ones before it: `personal`, their own;
 * `team`, those of all users with the same role; `subordinate`, also those of the roles below; `full`, all.
 */
export const roleViewOf = async (tenant: Reader, user: string, role: string): Promise<RoleView> => {
  const { members } = await branches.read(tenant, role, tenant.state.access_version, () => readBranch(tenant, role));
  return { user, role, owners: members === null ? "all" : new Set([user, ...members]) };
};
