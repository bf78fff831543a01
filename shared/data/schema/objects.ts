import type { ClientSession } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import type * as z from "zod";
import { MAX_FIELDS, type schemaCreateRequest, type schemaUpdateRequest } from "#contracts/object-schema";
import type { InvokeLater } from "#shared/foundation/aws/functions";
import { Fault, refuseIfAny } from "#shared/foundation/faults";
import { askForMigration, internalCollections, type Tenant } from "#shared/tenant/tenant";
import { settleChange } from "./build-indexes.ts";
import { changeSchemaIn, completeSchemaChange, storedObject, withSettings } from "./change.ts";
import { checkField, type Known } from "./check-field.ts";
import { dependentsOfObject } from "./dependents.ts";
import { apiNameOf, newFieldOf, noApiName } from "./fields.ts";
import { indexPlanOf } from "./index-plan.ts";
import { isBuilding } from "./index-status.ts";
import { MOST_OBJECTS } from "./limits.ts";
import { insertObject } from "./missing-model.ts";
import {
  type Field,
  type ObjectSchema,
  resolveSchema,
  SCHEMAS_COLLECTION,
  type StoredSchema,
} from "./object-schema.ts";
import { requireSchema, schemasOf } from "./read.ts";
import { standardSchemas } from "./standard/standard-objects.ts";
import { refuseUnfitRecords } from "./stored-values.ts";
import { systemFields } from "./system-fields.ts";
import { listNamesOf, readValueLists, resolveLists, type ValueLists, withListValues } from "./value-lists.ts";
import { fail, newValidationReport, type ValidationContext, within } from "./values/validation.ts";

type CreateRequest = z.output<typeof schemaCreateRequest>;
type UpdateRequest = z.output<typeof schemaUpdateRequest>;

/** Those of deleted objects are kept with their records. All organizations of a cluster share its files. */
const MOST_COLLECTIONS = 2_000;

/** Names with a meaning of their own in paths and in the database. */
const reserved: ReadonlySet<string> = new Set([...internalCollections, SCHEMAS_COLLECTION, "sandbox"]);

export const isReservedName = (name: string): boolean => reserved.has(name);

const nameField: Field = {
  api_name: "name",
  name: "Name",
  type: "string",
  required: true,
  description: "What it is called.",
};

/** The fields by api_name. Every object has `name`, because references show it. */
const fieldsOf = (
  requested: NonNullable<CreateRequest["fields"]>,
  context: ValidationContext,
  known: Known,
): Record<string, Field> => {
  const fields: Record<string, Field> = { name: nameField };
  const given = new Set<string>();
  for (const [index, settings] of requested.entries()) {
    const inner = within(context, index);
    const field = newFieldOf(settings);
    if (field === null) {
      fail(within(inner, "api_name"), noApiName.type, noApiName.msg);
      continue;
    }
    const { api_name } = field;
    if (given.has(api_name)) fail(inner, "duplicate", `The field "${api_name}" is given twice.`);
    if (Object.hasOwn(systemFields, api_name)) fail(inner, "read_only", `Every object has the field "${api_name}".`);
    if (api_name === "name" && field.type !== "string")
      fail(within(inner, "type"), "field_type", 'The field "name" is a string.');
    given.add(api_name);
    checkField(field, inner, known);
    fields[api_name] = field;
  }
  return fields;
};

/** Raises `validation_failed` with all issues. */
const newObjectOf = (request: CreateRequest, known: readonly string[], lists: ValueLists): ObjectSchema => {
  const report = newValidationReport();
  const context: ValidationContext = { report, at: ["body"], secret: false };
  const { fields = [], api_name: given, ...settings } = request;
  const api_name = given ?? apiNameOf(request.name) ?? "";
  if (api_name === "") fail(within(context, "api_name"), noApiName.type, noApiName.msg);
  const isStandard = standardSchemas().some((standard) => standard.api_name === api_name);
  if (isStandard && !known.includes(api_name))
    fail(
      within(context, "api_name"),
      "reserved",
      `"${api_name}" is a standard object: POST /v1/schema/generate/ creates it.`,
    );
  if (isReservedName(api_name)) fail(within(context, "api_name"), "reserved", `"${api_name}" is reserved.`, api_name);
  if (known.length >= MOST_OBJECTS)
    fail(context, "too_many_objects", `An organization has at most ${MOST_OBJECTS} objects.`);
  // A lookup may point to the object itself.
  const objects = new Set([...known, api_name]);
  const properties = fieldsOf(fields, within(context, "fields"), { object: (name) => objects.has(name), lists });
  if (Object.keys(properties).length > MAX_FIELDS)
    fail(within(context, "fields"), "too_many_fields", `An object has at most ${MAX_FIELDS} fields.`);
  refuseIfAny(report.issues);
  return resolveSchema({ ...settings, id: uuidv7(), api_name, properties });
};

const schemas = (tenant: Tenant) => tenant.collection<StoredSchema>(SCHEMAS_COLLECTION);

const insert = async (tenant: Tenant, schema: ObjectSchema, session: ClientSession): Promise<ObjectSchema> => {
  const { api_name } = schema;
  if ((await schemas(tenant).countDocuments({ api_name }, { session, limit: 1 })) > 0)
    throw new Fault("schema_exists", { message: `There is an object "${api_name}" already.` });
  // Two requests that create the same object both change the schema version, so that the second one runs again.
  return insertObject(tenant, schema, session);
};

/**
 * Prepares the creation of an object, and gives whether its collection is there, of a deleted object of this name. Raises
 * `values_do_not_fit` and `duplicate_value` if the records in it do not fit, and `validation_failed` for too many
 * collections. The fields have the values of their lists.
 */
export const prepareCollection = async (tenant: Tenant, { api_name, properties }: ObjectSchema): Promise<boolean> => {
  const collections = await tenant.collectionNames();
  if (collections.includes(api_name)) {
    const own = Object.values(properties).filter(({ system }) => system !== true);
    await refuseUnfitRecords(tenant, api_name, own);
    await askForMigration(tenant.organization_id);
    return true;
  }
  if (collections.length < MOST_COLLECTIONS) return false;
  const msg = "The organization has too many deleted objects whose records are kept. Create one of them again.";
  throw new Fault("validation_failed", { issues: [{ loc: ["body"], msg, type: "too_many_objects" }] });
};

/** Creates an object. Raises `validation_failed`, `schema_exists`, `values_do_not_fit` and `duplicate_value`. */
export const createSchema = async (
  tenant: Tenant,
  request: CreateRequest,
  later: InvokeLater,
): Promise<ObjectSchema> => {
  const shown = (id: string): Promise<ObjectSchema> =>
    tenant.transaction(async (session) => {
      const stored = await storedObject(tenant, id, session);
      const [resolved = stored] = await resolveLists(tenant, [stored], session);
      return resolved;
    });
  // Of a deleted object of this name. Its indexes may be others.
  let hasCollection = false;
  const created = await tenant.once.write(
    async () => {
      const named = listNamesOf(request.fields ?? []);
      const [known, lists] = await Promise.all([schemasOf(tenant), readValueLists(tenant, named)]);
      const schema = newObjectOf(request, Object.keys(known), lists);
      hasCollection = await prepareCollection(tenant, withListValues(schema, lists));
      return async (session) => {
        const value = await insert(tenant, schema, session);
        return { ids: [schema.id], value: withListValues(value, lists) };
      };
    },
    ([id = ""]) => shown(id),
  );
  if (!hasCollection && !isBuilding(created)) return created;
  await settleChange(tenant, created.api_name, later);
  return shown(created.id);
};

/** Changes what is given. Raises `object_not_found`. */
export const updateSchema = async (
  tenant: Tenant,
  { id, ...settings }: UpdateRequest,
  later: InvokeLater,
): Promise<void> => {
  const before = await requireSchema(tenant, id);
  // Whether records have owners decides about an index.
  const isReplanned =
    indexPlanOf(withSettings(before, settings)).fingerprint !== indexPlanOf(before).fingerprint || isBuilding(before);
  if (isReplanned) await askForMigration(tenant.organization_id);
  const changed = await tenant.transaction((session) =>
    changeSchemaIn(tenant, id, (stored) => withSettings(stored, settings), session),
  );
  if (isReplanned) await settleChange(tenant, changed.api_name, later);
};

/**
 * Deletes an object and answers its api_name. Its records stay in the database. Raises `object_not_found`,
 * `standard_object`, and `in_use` while it has records or lookups point to it, unless forced.
 */
export const deleteSchema = (tenant: Tenant, name: string, { force }: { readonly force: boolean }): Promise<string> =>
  tenant.transaction(async (session) => {
    const schema = await storedObject(tenant, name, session);
    const { api_name } = schema;
    if (!schema.custom) throw new Fault("standard_object", { message: `"${api_name}" is a standard object.` });
    const others = await schemas(tenant).find({}, { session }).toArray();
    const users = dependentsOfObject(others.map(resolveSchema), api_name);
    if ((await tenant.collection(api_name).findOne({}, { session, projection: { _id: 1 } })) !== null)
      users.unshift("its records");
    if (users.length > 0 && !force)
      throw new Fault("in_use", { message: `The object "${api_name}" is needed by ${users.join(", ")}.` });
    await schemas(tenant).deleteOne({ _id: schema.id }, { session });
    await completeSchemaChange(tenant, { before: schema, after: null }, session);
    return api_name;
  });
