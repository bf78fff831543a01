import type { Document } from "mongodb";
import { boundedCache, estimateBytes } from "#shared/foundation/bounded-cache";
import { Fault } from "#shared/foundation/faults";
import { type Caller, type Tenant, versionedCache } from "#shared/tenant/tenant";
import { type PermissionSet, permissionSetOf } from "./permissions.ts";
import {
  fieldHolderOf,
  type Holder,
  holderOf,
  type Operation,
  tableAllows,
  tableAllowsField,
} from "./protected-objects.ts";
import { type NamedObjects, namedBut } from "./reference-names.ts";
import { roleViewOf } from "./role-view.ts";
import { everyRow, type RowAccess, rowsOf } from "./row-access.ts";
import { SENSITIVE_SCOPE, sensitiveInScope } from "./sensitive-values.ts";

/**
 * What one caller may do with the data of an organization. Decides without I/O. Objects are named by their exact
 * api_name. Everything that reads or writes tenant data asks here: records, queries, pipelines and functions.
 */
export interface Access {
  /** Equal keys mean equal rights within one access version of the tenant, so replies may be cached by it. */
  readonly key: string;
  can(object: string, operation: Operation): boolean;
  /** False also if the object itself may not be read. */
  fieldReadable(object: string, field: string): boolean;
  /** False also if the object itself may not be written by this operation. */
  fieldWritable(object: string, field: string, operation: "create" | "update"): boolean;
  /** The objects whose records' names the caller sees in references: those with a readable `name`, and `user`. */
  readonly named: NamedObjects;
  /** Which records of readable objects the caller sees. Every match on an object's collection applies its filter. */
  readonly rows: RowAccess;
  /** Whether the caller sees the values of sensitive fields; else they are masked. */
  readonly seesSensitive: boolean;
}

type AccessReader = Pick<Tenant, "organization_id" | "generation" | "collection" | "state" | "caller">;

const everything: PermissionSet = { objects: "all", object: () => true, field: () => true, scopes: new Set() };

/** What the decisions use of a caller. It must be equal for two callers with the same key. */
type CallerRoles = Pick<Caller, "is_admin" | "is_account_owner" | "is_superuser">;

/** What the caller's role, session and the schemas decide of an access. */
interface Sight {
  readonly rows: RowAccess;
  readonly seesSensitive: boolean;
  /** The objects whose `name` is sensitive. */
  readonly sensitiveNames: readonly string[];
}

const decide = (caller: CallerRoles, permissions: PermissionSet, key: string, sight: Sight): Access => {
  const can: Access["can"] = (object, operation) =>
    tableAllows(caller, object, operation) && permissions.object(object, operation);
  const fieldReadable: Access["fieldReadable"] = (object, field) =>
    tableAllows(caller, object, "read") &&
    permissions.field(object, field, "read") &&
    tableAllowsField(caller, object, field, "read");
  const isNamed = (object: string): boolean => can(object, "read") && fieldReadable(object, "name");
  return {
    key,
    can,
    fieldReadable,
    fieldWritable: (object, field, operation) =>
      tableAllows(caller, object, operation) &&
      permissions.field(object, field, operation) &&
      tableAllowsField(caller, object, field, "write"),
    named: namedBut(
      permissions.objects === "all" ? "all" : ["user", ...permissions.objects.filter(isNamed)],
      sight.seesSensitive ? [] : sight.sensitiveNames,
    ),
    seesSensitive: sight.seesSensitive,
    rows: sight.rows,
  };
};

/** An object whose records have owners and shares, to measure a filter. */
const anyOwned = { api_name: "lead", ownership: true, exclusive_ownership: false } as const;

const memberRoles: CallerRoles = { is_admin: false, is_account_owner: false, is_superuser: false };
/** The size is stored beside the access, because its closures hold permission records that cannot be measured. */
const memberAccesses = versionedCache<{ readonly access: Access; readonly bytes: number }>({
  mostBytes: 16 * 1024 * 1024,
  bytesOf: ({ bytes }) => bytes,
});
const adminAccesses = boundedCache<Access>({ mostBytes: 1024 * 1024, bytesOf: () => 1_000 });

/**
 * An admin's app without the scope `admin` or `all`: it may do with data what the admin may, but may not change rights.
 */
const mayNotAdminister = ({ client_id, scope }: Caller): boolean =>
  client_id !== null && !scope.split(" ").some((name) => name === "admin" || name === "all");

/**
 * Whether the caller may act as an administrator: an administrator in person, or their app with scope `admin` or `all`.
 */
export const actsAsAdministrator = (caller: Caller): boolean => caller.is_admin && !mayNotAdminister(caller);

/**
 * There are three, for all organizations: owners and superusers, other admins, and apps without the scope for admins.
 * Apps that see no sensitive values have one for each list of objects with sensitive names.
 */
const adminAccess = (caller: Caller, names: readonly string[]): Access => {
  const own = caller.is_account_owner || caller.is_superuser ? "owner" : "admin";
  const role = mayNotAdminister(caller) ? "app" : own;
  const sight: Sight = { rows: everyRow, seesSensitive: sensitiveInScope(caller), sensitiveNames: names };
  const key = sight.seesSensitive ? role : `${role}:masked:${names.join(",")}`;
  const known = adminAccesses.get(key);
  if (known !== undefined) return known;
  const roles = { is_admin: true, is_account_owner: role === "owner", is_superuser: false };
  const access = decide(role === "app" ? memberRoles : roles, everything, key, sight);
  adminAccesses.set(key, access);
  return access;
};

const permissionRecords = (tenant: AccessReader, ids: string[]): Promise<Document[]> =>
  tenant
    .collection<Document & { _id: string }>("permission")
    .find({ _id: { $in: ids } })
    .toArray();

/** Callers without a role see all records of the objects that their permissions let them read. */
const memberRows = async (tenant: AccessReader): Promise<RowAccess> => {
  const { id, role } = tenant.caller;
  if (role === null) return everyRow;
  return rowsOf(await roleViewOf(tenant, id, role), tenant.state.has_readers === true);
};

/** The owners of a branch of roles, which the filters of an access list. */
const bytesOfRows = (rows: RowAccess): number => estimateBytes(rows.filter(anyOwned));

/**
 * Everything in the organization for admins. For members what their permission records give, of the records that their
 * role shows.
 */
export const accessOf = async (tenant: AccessReader): Promise<Access> => {
  const { caller } = tenant;
  const names = tenant.state.sensitive_names ?? [];
  if (caller.is_admin) return adminAccess(caller, names);
  const ids = [...new Set(caller.permissions)].sort();
  const { id, role } = caller;
  const inScope = sensitiveInScope(caller);
  const suffixes = [
    role === null ? "" : `:${role}:${id}`,
    inScope ? "" : ":masked",
    ...names.map((name) => `:-${name}`),
  ];
  const key = `member:${ids.join(",")}${suffixes.join("")}`;
  const { access } = await memberAccesses.read(tenant, key, tenant.state.access_version, async () => {
    const [records, rows] = await Promise.all([
      ids.length === 0 ? [] : permissionRecords(tenant, ids),
      memberRows(tenant),
    ]);
    const permissions = permissionSetOf(records);
    const seesSensitive = inScope && permissions.scopes.has(SENSITIVE_SCOPE);
    return {
      access: decide(memberRoles, permissions, key, { rows, seesSensitive, sensitiveNames: names }),
      bytes: 1_000 + 2 * (key.length + estimateBytes(records)) + 3 * bytesOfRows(rows),
    };
  });
  return access;
};

/** Who may read a protected field, whether or not the schema has it; undefined where permissions decide. */
export const readHolderOf = (object: string, field: string): Holder | undefined => fieldHolderOf(object, field, "read");

/** Who may write a protected field, whether or not the schema has it; undefined where permissions decide. */
export const writeHolderOf = (object: string, field: string): Holder | undefined =>
  fieldHolderOf(object, field, "write");

/** Raises `forbidden`, with a message that says who may do it. */
export const requireAccess = (access: Access, object: string, operation: Operation): void => {
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
