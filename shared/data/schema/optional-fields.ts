import type { TenantDatabase } from "#shared/tenant/tenant";
import { changeSchemaIn, type ModelEditor } from "./change.ts";
import { SCHEMAS_COLLECTION, type StoredSchema } from "./object-schema.ts";

/** A standard field that earlier releases required: an item may have an automation in its place. */
const OBJECT = "scheduled_item";
const FIELD = "function";

/** Whether the organization still requires it. */
export const requiresFunction = async ({ collection }: Pick<TenantDatabase, "collection">): Promise<boolean> => {
  const required = { _id: OBJECT, [`properties.${FIELD}.required`]: true };
  return (await collection<StoredSchema>(SCHEMAS_COLLECTION).countDocuments(required)) > 0;
};

/** Makes it optional. Idempotent. */
export const makeFunctionOptional = (tenant: ModelEditor & Pick<TenantDatabase, "transaction">): Promise<unknown> =>
  tenant.transaction((session) =>
    changeSchemaIn(
      tenant,
      OBJECT,
      (schema) => {
        const field = schema.properties[FIELD];
        if (field === undefined) return schema;
        return { ...schema, properties: { ...schema.properties, [FIELD]: { ...field, required: false } } };
      },
      session,
    ),
  );
