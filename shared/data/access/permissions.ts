import type { Document } from "mongodb";
import * as z from "zod";
import { log } from "#shared/foundation/log";
import type { Operation } from "./protected-objects.ts";

const switches = z.strictObject({
  create: z.boolean().optional(),
  read: z.boolean().optional(),
  update: z.boolean().optional(),
  delete: z.boolean().optional(),
});

/** `object_permissions` of a permission record. */
export const objectPermissions = z.record(z.string(), switches);

/** `object_field_permissions` of a permission record. */
export const objectFieldPermissions = z.record(
  z.string(),
  z.record(z.string(), z.strictObject({ read: z.boolean().optional(), update: z.boolean().optional() })),
);

/** `scopes` of a permission record: rights that concern no object. */
export const permissionScopes = z.array(z.string().max(200)).max(100);

const permission = z.object({
  object_permissions: objectPermissions.nullish(),
  object_field_permissions: objectFieldPermissions.nullish(),
  // Records from before the scopes had a meaning keep their other rights.
  scopes: permissionScopes.nullish().catch(null),
});

/** The rights of one permission record. */
type PermissionRights = z.output<typeof permission>;

/** The rights of all permissions of a caller together. They add up. */
export interface PermissionSet {
  /** The objects that the permissions name, or all. */
  readonly objects: "all" | readonly string[];
  object(object: string, operation: Operation): boolean;
  field(object: string, field: string, operation: Exclude<Operation, "delete">): boolean;
  readonly scopes: ReadonlySet<string>;
}

/** A malformed record gives no rights. */
const rightsOf = (document: Document): PermissionRights | null => {
  const parsed = permission.safeParse(document);
  if (parsed.success) return parsed.data;
  log.warn({ permission: document._id, err: parsed.error }, "a permission record is malformed and gives nothing");
  return null;
};

const ownValue = <T>(record: Readonly<Record<string, T>> | null | undefined, key: string): T | undefined =>
  record !== null && record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;

export const permissionSetOf = (documents: readonly Document[]): PermissionSet => {
  const permissions = documents.map(rightsOf).filter((grant) => grant !== null);
  const gives = (grant: PermissionRights, object: string, operation: Operation): boolean =>
    ownValue(grant.object_permissions, object)?.[operation] === true;
  return {
    objects: permissions.flatMap(({ object_permissions }) => Object.keys(object_permissions ?? {})),
    object: (object, operation) => permissions.some((grant) => gives(grant, object, operation)),
    // A permission on an object covers all of its fields, except those that the same permission excludes.
    field: (object, field, operation) =>
      permissions.some((grant) => {
        const rights = ownValue(ownValue(grant.object_field_permissions, object), field);
        return gives(grant, object, operation) && rights?.[operation === "read" ? "read" : "update"] !== false;
      }),
    scopes: new Set(permissions.flatMap(({ scopes }) => scopes ?? [])),
  };
};
