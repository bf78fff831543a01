import type { ClientSession } from "mongodb";
import type { TenantDatabase } from "#shared/tenant/tenant";
import { TRAIL_OBJECT } from "#shared/trail/trail";
import { isWithoutRecords } from "./build-indexes.ts";
import { changeSchemaIn, completeSchemaChange, type ModelEditor } from "./change.ts";
import { withNewIndexes } from "./index-status.ts";
import { MOST_OBJECTS } from "./limits.ts";
import {
  type ObjectSchema,
  resolveSchema,
  SCHEMAS_COLLECTION,
  type StoredSchema,
  storedSchema,
} from "./object-schema.ts";
import { standardSchemas } from "./standard/standard-objects.ts";

/** Objects that a model does not have, and its objects with the standard fields that they do not have. */
interface MissingModel {
  readonly created: readonly ObjectSchema[];
  readonly completed: readonly ObjectSchema[];
}

const missingFields = (stored: ObjectSchema, standard: ObjectSchema): [string, ObjectSchema["properties"][string]][] =>
  Object.entries(standard.properties).filter(([name]) => !Object.hasOwn(stored.properties, name));

const standardOf = ({ api_name }: ObjectSchema): ObjectSchema | undefined =>
  standardSchemas().find((standard) => standard.api_name === api_name);

/** What administrators have added or changed stays, also under the name of a standard object or field. */
export const missingFrom = (stored: readonly ObjectSchema[], others: readonly ObjectSchema[] = []): MissingModel => {
  const known = new Set(stored.map(({ api_name }) => api_name));
  const created = [...standardSchemas(), ...others].filter(({ api_name }) => !known.has(api_name));
  const completed = stored.flatMap((schema) => {
    const standard = standardOf(schema);
    const missing = standard === undefined ? [] : missingFields(schema, standard);
    return missing.length === 0
      ? []
      : [{ ...schema, properties: { ...schema.properties, ...Object.fromEntries(missing) } }];
  });
  return { created: created.slice(0, Math.max(MOST_OBJECTS - stored.length, 0)), completed };
};

/** Inserts an object. Records that its collection has already are not indexed yet. */
export const insertObject = async (
  tenant: ModelEditor,
  schema: ObjectSchema,
  session: ClientSession,
): Promise<ObjectSchema> => {
  // The audit trail has its indexes from the beginning.
  const isIndexed = schema.api_name === TRAIL_OBJECT || (await isWithoutRecords(tenant, schema.api_name));
  const after = isIndexed ? schema : withNewIndexes(null, schema);
  await tenant.collection<StoredSchema>(SCHEMAS_COLLECTION).insertOne(storedSchema(after), { session });
  await completeSchemaChange(tenant, { before: null, after }, session);
  return after;
};

/** Api_names of objects, and of fields as `object.field`. */
export interface StandardModelChange {
  readonly objects?: readonly string[];
  readonly fields?: readonly string[];
}

const changeOf = (stored: readonly ObjectSchema[], { created, completed }: MissingModel): StandardModelChange => {
  const objects = created.map(({ api_name }) => api_name).sort();
  const fields = completed.flatMap((after) => {
    const before = stored.find(({ id }) => id === after.id);
    const names = Object.keys(after.properties).filter((name) => !Object.hasOwn(before?.properties ?? {}, name));
    return names.map((name) => `${after.api_name}.${name}`);
  });
  return { ...(objects.length > 0 && { objects }), ...(fields.length > 0 && { fields: fields.sort() }) };
};

const storedObjects = async (
  { collection }: Pick<TenantDatabase, "collection">,
  session?: ClientSession,
): Promise<ObjectSchema[]> => {
  const options = session === undefined ? {} : { session };
  return (await collection<StoredSchema>(SCHEMAS_COLLECTION).find({}, options).toArray()).map(resolveSchema);
};

/** What `addStandardModel` would add. */
export const missingStandardModel = async (
  tenant: Pick<TenantDatabase, "collection">,
): Promise<StandardModelChange> => {
  const stored = await storedObjects(tenant);
  return changeOf(stored, missingFrom(stored));
};

/** Adds the standard objects and fields that an organization's model does not have. Idempotent. */
export const addStandardModel = (
  tenant: ModelEditor & Pick<TenantDatabase, "transaction">,
): Promise<StandardModelChange> =>
  tenant.transaction(async (session) => {
    const stored = await storedObjects(tenant, session);
    const missing = missingFrom(stored);
    for (const schema of missing.created) await insertObject(tenant, schema, session);
    for (const schema of missing.completed) await changeSchemaIn(tenant, schema.id, () => schema, session);
    return changeOf(stored, missing);
  });
