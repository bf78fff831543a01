import type { Document, Filter } from "mongodb";
import { estimateBytes } from "#shared/foundation/bounded-cache";
import { Fault } from "#shared/foundation/faults";
import { type Caller, type Tenant, versionedCache } from "#shared/tenant/tenant";
import { type Grants, grantsOf } from "./grants.ts";
import { fieldHolderOf, type Holder, holderOf, type Operation, tableAllows, tableAllowsField } from "./protected.ts";
import type { NamedObjects } from "./reference-names.ts";

/**
 * What one caller may do; a decision without any input or output. Objects are named by their api_name, exactly.
 * Whoever reads or writes tenant data asks here: records, queries, pipelines and functions.
 */
export interface Access {
  /** The same text means the same rights, so that answers may be cached by it within one version of the tenant's access. */
  readonly key: string;
  can(object: string, operation: Operation): boolean;
  /** Also false where the object itself may not be read. */
  fieldReadable(object: string, field: string): boolean;
  /** Also false where the object itself may not be written that way. */
  fieldWritable(object: string, field: string, operation: "create" | "update"): boolean;
  /** A reference holds the name of its record, so these are the objects whose records the caller may read by name, and users. */
  readonly named: NamedObjects;
  /**
   * To be merged into every match on the object's collection; null restricts nothing beyond `can`. Always null until there
   * are row filters and sharing: all that reads records asks here already.
   */
  filter(object: string, operation: Operation): Filter<Document> | null;
}

type AccessReader = Pick<Tenant, "organization_id" | "collection" | "state" | "caller">;

const everything: Grants = { objects: "all", object: () => true, field: () => true };

/** What of a caller the decisions rest on; nothing that would differ between two callers with the same key. */
type CallerRoles = Pick<Caller, "is_admin" | "is_account_owner" | "is_superuser">;

const decide = (caller: CallerRoles, grants: Grants, key: string): Access => {
  const can: Access["can"] = (object, operation) =>
    tableAllows(caller, object, operation) && grants.object(object, operation);
  const fieldReadable: Access["fieldReadable"] = (object, field) =>
    tableAllows(caller, object, "read") &&
    grants.field(object, field, "read") &&
    tableAllowsField(caller, object, field, "read");
  const isNamed = (object: string): boolean => can(object, "read") && fieldReadable(object, "name");
  return {
    key,
    can,
    fieldReadable,
    fieldWritable: (object, field, operation) =>
      tableAllows(caller, object, operation) &&
      grants.field(object, field, operation) &&
      tableAllowsField(caller, object, field, "write"),
    named: grants.objects === "all" ? "all" : new Set(["user", ...grants.objects.filter(isNamed)]),
    filter: () => null,
  };
};

const nobodySpecial: CallerRoles = { is_admin: false, is_account_owner: false, is_superuser: false };
/** What an access holds of the permission records is not seen from outside. */
const members = versionedCache<{ readonly access: Access; readonly bytes: number }>({
  mostBytes: 16 * 1024 * 1024,
  bytesOf: ({ bytes }) => bytes,
});
const admins = new Map<string, Access>();

/** An app that an admin has let in, but not as an admin: it may do with data what the admin may, and with rights nothing. */
const mayNotAdminister = ({ client_id, scope }: Caller): boolean =>
  client_id !== null && !scope.split(" ").some((name) => name === "admin" || name === "all");

/** Whether the caller may act as an administrator: one who is here in person, or whose app was given that. */
export const administers = (caller: Caller): boolean => caller.is_admin && !mayNotAdminister(caller);

/** Owners and superusers differ from other admins in what they may grant; no organization's data is involved. */
const adminAccess = (caller: Caller): Access => {
  const own = caller.is_account_owner || caller.is_superuser ? "owner" : "admin";
  const key = mayNotAdminister(caller) ? "app" : own;
  const known = admins.get(key);
  if (known !== undefined) return known;
  const roles = { is_admin: true, is_account_owner: key === "owner", is_superuser: false };
  const access = decide(key === "app" ? nobodySpecial : roles, everything, key);
  admins.set(key, access);
  return access;
};

const permissionRecords = (tenant: AccessReader, ids: string[]): Promise<Document[]> =>
  tenant
    .collection<Document & { _id: string }>("permission")
    .find({ _id: { $in: ids } })
    .toArray();

/** The caller's access: all of the organization for admins, else what their permission records give, else nothing. */
export const accessOf = async (tenant: AccessReader): Promise<Access> => {
  const { caller } = tenant;
  if (caller.is_admin) return adminAccess(caller);
  const ids = [...new Set(caller.permissions)].sort();
  const key = `member:${ids.join(",")}`;
  const { access } = await members.read(`${tenant.organization_id}/${key}`, tenant.state.access_version, async () => {
    const records = ids.length === 0 ? [] : await permissionRecords(tenant, ids);
    return {
      access: decide(nobodySpecial, grantsOf(records), key),
      bytes: 1_000 + 2 * (key.length + estimateBytes(records)),
    };
  });
  return access;
};

/** Who alone may read the field, whether or not the object's schema has it; undefined where permissions decide. */
export const readHolderOf = (object: string, field: string): Holder | undefined => fieldHolderOf(object, field, "read");

/** Who alone may write the field, whether or not the object's schema has it; undefined where permissions decide. */
export const writeHolderOf = (object: string, field: string): Holder | undefined =>
  fieldHolderOf(object, field, "write");

/** Raises `forbidden` with a sentence that says who could. */
export const demand = (access: Access, object: string, operation: Operation): void => {
  if (access.can(object, operation)) return;
  const holder = holderOf(object, operation);
  if (holder === "nobody") {
    throw new Fault("forbidden", { message: `Nobody may ${operation} "${object}" records this way.` });
  }
  if (holder !== undefined) {
    throw new Fault("forbidden", { message: `Only an administrator may ${operation} "${object}" records.` });
  }
  throw new Fault("forbidden", { message: `Your permissions do not let you ${operation} "${object}" records.` });
};
