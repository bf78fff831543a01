import { type Access, accessOf, type Operation, requireAccess } from "#shared/data/access/access";
import { type ObjectSchema, schemaOf } from "#shared/data/schema/schema";
import { Fault } from "#shared/foundation/faults";
import { requirePayment, type Tenant } from "#shared/tenant/tenant";

/** A function that a push creates or changes. */
export interface PushedFunction {
  readonly id: string;
  readonly file_name?: unknown;
  readonly active?: unknown;
}

/** The names of new records by object and id. */
export type CreatedNames = ReadonlyMap<string, ReadonlyMap<string, string | null>>;

/** An object of the caller's organization, and the caller's access. */
export interface Target {
  readonly tenant: Tenant;
  readonly access: Access;
  readonly schema: ObjectSchema;
  /** The object's api_name, which is also its collection. */
  readonly object: string;
  /** Of a push: the model as the same transaction makes it, and the functions that it writes. */
  readonly pushed?: {
    readonly schemas: Readonly<Record<string, ObjectSchema>>;
    readonly functions: readonly PushedFunction[];
  };
  /** Records that the same transaction creates. Others may refer to them. */
  readonly createdToo?: (() => Promise<CreatedNames>) | undefined;
}

const every: readonly Operation[] = ["create", "read", "update", "delete"];

/** Operations that are refused on records of these objects, with the message for the caller. */
const reserved: Readonly<Record<string, { operations: readonly Operation[]; instead: string }>> = {
  sandbox: { operations: every, instead: "Sandboxes are not records." },
  schemas: { operations: every, instead: "Objects and fields are not records. GET /v1/schema shows them." },
  user: { operations: ["create"], instead: "Users are added by registration or invitation, not as records." },
  organization: {
    operations: ["create", "delete"],
    instead: "An organization is created by registration, and has exactly one record.",
  },
};

const refuseReserved = (object: string, operation: Operation): void => {
  const entry = Object.hasOwn(reserved, object) ? reserved[object] : undefined;
  if (entry?.operations.includes(operation)) throw new Fault("reserved_object", { message: entry.instead });
};

/**
 * Raises `reserved_object`, `object_not_found` and `forbidden`, in this order, and `payment_required` where nothing may
 * be written.
 */
export const targetOf = async (tenant: Tenant, name: string, operation: Operation): Promise<Target> => {
  refuseReserved(name.toLowerCase(), operation);
  const [schema, access] = await Promise.all([schemaOf(tenant, name), accessOf(tenant)]);
  if (schema === null) throw new Fault("object_not_found", { message: `There is no object "${name}".` });
  const object = schema.api_name;
  refuseReserved(object, operation);
  requireAccess(access, object, operation);
  if (operation !== "read") requirePayment(tenant);
  return { tenant, access, schema, object };
};
