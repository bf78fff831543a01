import type { Document } from "mongodb";
import * as z from "zod";
import { log } from "#shared/foundation/log";
import type { Operation } from "./protected.ts";

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

const permission = z.object({
  object_permissions: objectPermissions.nullish(),
  object_field_permissions: objectFieldPermissions.nullish(),
});

/** What one permission record gives. */
type Grant = z.output<typeof permission>;

/** What all permissions of a caller give together: the highest access wins. */
export interface Grants {
  /** Every object that they name, or all there are. */
  readonly objects: "all" | readonly string[];
  object(object: string, operation: Operation): boolean;
  field(object: string, field: string, operation: Exclude<Operation, "delete">): boolean;
}

/** A record that is not understood gives nothing: better too little than too much. */
const grantOf = (document: Document): Grant | null => {
  const parsed = permission.safeParse(document);
  if (parsed.success) return parsed.data;
  log.warn({ permission: document._id, err: parsed.error }, "a permission record is malformed and gives nothing");
  return null;
};

const own = <T>(record: Readonly<Record<string, T>> | null | undefined, key: string): T | undefined =>
  record !== null && record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;

export const grantsOf = (documents: readonly Document[]): Grants => {
  const grants = documents.map(grantOf).filter((grant) => grant !== null);
  const gives = (grant: Grant, object: string, operation: Operation): boolean =>
    own(grant.object_permissions, object)?.[operation] === true;
  return {
    objects: grants.flatMap(({ object_permissions }) => Object.keys(object_permissions ?? {})),
    object: (object, operation) => grants.some((grant) => gives(grant, object, operation)),
    // A permission to an object reaches each of its fields unless the same permission takes the field away.
    field: (object, field, operation) =>
      grants.some((grant) => {
        const rights = own(own(grant.object_field_permissions, object), field);
        return gives(grant, object, operation) && rights?.[operation === "read" ? "read" : "update"] !== false;
      }),
  };
};
