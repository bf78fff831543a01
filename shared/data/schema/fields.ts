import type { ClientSession } from "mongodb";
import type * as z from "zod";
import { type fieldCreateRequest, type fieldUpdateRequest, MAX_FIELDS } from "#contracts/object-schema";
import type { InvokeLater } from "#shared/foundation/aws/functions";
import { Fault, refuseIfAny } from "#shared/foundation/faults";
import { askForMigration, type Tenant } from "#shared/tenant/tenant";
import { settleChange } from "./build-indexes.ts";
import { changeSchemaIn, storedObject, withSettings } from "./change.ts";
import { checkField } from "./check-field.ts";
import { dependentsOfField, rulesOverField } from "./dependents.ts";
import { fieldIndexOf } from "./field-index.ts";
import { indexNameOf } from "./index-plan.ts";
import { isBuilding, tryIndexAgain } from "./index-status.ts";
import { type Field, type ObjectSchema, ownField } from "./object-schema.ts";
import { requireSchema, schemasOf } from "./read.ts";
import { refuseOtherRights } from "./rights-fields.ts";
import { standardSchemas } from "./standard/standard-objects.ts";
import { refuseEqualValues, refuseHeldValues, refuseUnfitRecords, refuseUnfitValues } from "./stored-values.ts";
import { systemFields } from "./system-fields.ts";
import { listNamesOf, readValueLists, resolveLists, withChoices } from "./value-lists.ts";
import { newValidationReport } from "./values/validation.ts";

type FieldSettings = Omit<z.output<typeof fieldCreateRequest>, "object_id">;
type ChangedSettings = Omit<z.output<typeof fieldUpdateRequest>, "object_id" | "api_name">;

/** `Annual revenue (EUR)` → `annual_revenue_eur`; null if nothing is left. */
export const apiNameOf = (label: string): string | null => {
  const words = label
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^[_0-9]+|_+$/g, "")
    .slice(0, 80);
  return words === "" || words === "constructor" ? null : words;
};

/** The field of a request to create one. Its api_name is null if neither the request nor the label gives one. */
export const newFieldOf = ({ api_name, required = false, ...settings }: FieldSettings): Field | null => {
  const name = api_name ?? apiNameOf(settings.name);
  return name === null ? null : { ...settings, api_name: name, required };
};

export const noApiName = { msg: "The name has no letters that an api_name could have. Give one.", type: "missing" };

const standardField = ({ api_name }: ObjectSchema, name: string): Field | undefined =>
  standardSchemas().find((standard) => standard.api_name === api_name)?.properties[name];

const fieldOf = ({ api_name, properties }: ObjectSchema, name: string): Field => {
  const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (field !== undefined) return field;
  throw new Fault("field_not_found", { message: `"${api_name}" has no field "${name}".` });
};

const refuseSystemField = (name: string): void => {
  if (Object.hasOwn(systemFields, name))
    throw new Fault("standard_object", { message: `Every object has the field "${name}". It cannot be changed.` });
};

const withField = (schema: ObjectSchema, field: Field): ObjectSchema => {
  const required = schema.required.filter((name) => name !== field.api_name);
  return { ...schema, required, properties: { ...schema.properties, [field.api_name]: field } };
};

const refuseNewField = (schema: ObjectSchema, { api_name }: Field): void => {
  if (Object.hasOwn(schema.properties, api_name))
    throw new Fault("field_exists", { message: `"${schema.api_name}" has a field "${api_name}" already.` });
  const own = Object.values(schema.properties).filter(({ system }) => system !== true);
  if (own.length >= MAX_FIELDS) {
    const msg = `An object has at most ${MAX_FIELDS} fields.`;
    throw new Fault("validation_failed", { issues: [{ loc: ["body"], msg, type: "too_many_fields" }] });
  }
};

/** The field with the values of its list. Raises `validation_failed` for settings that do not go together. */
const checkedField = async (tenant: Tenant, field: Field): Promise<Field> => {
  const [schemas, lists] = await Promise.all([schemasOf(tenant), readValueLists(tenant, listNamesOf([field]))]);
  const report = newValidationReport();
  const object = (name: string): boolean => Object.hasOwn(schemas, name);
  checkField(field, { report, at: ["body"], secret: false }, { object, lists });
  refuseIfAny(report.issues);
  return withChoices(field, lists);
};

/** The field as replies show it: with the values of its list. */
const shownField = async (
  tenant: Tenant,
  schema: ObjectSchema,
  name: string,
  session?: ClientSession,
): Promise<Field> => {
  const [resolved = schema] = await resolveLists(tenant, [schema], session);
  return fieldOf(resolved, name);
};

/** The field after the indexes of its object were settled, as far as a request can do it. */
const settled = async (tenant: Tenant, object: string, name: string, later: InvokeLater): Promise<Field> => {
  const stored = () => tenant.transaction((session) => storedObject(tenant, object, session));
  await settleChange(tenant, (await stored()).api_name, later);
  return shownField(tenant, await stored(), name);
};

/**
 * Adds a field. Raises `object_not_found`, `field_exists`, `validation_failed`, and `values_do_not_fit` or
 * `duplicate_value` if the database holds values under its name from a field that was deleted, and `in_use` if rules
 * read a field to be encrypted.
 */
export const createField = async (
  tenant: Tenant,
  { object_id, ...settings }: z.output<typeof fieldCreateRequest>,
  later: InvokeLater,
): Promise<Field> => {
  const field = newFieldOf(settings);
  if (field === null) throw new Fault("validation_failed", { issues: [{ loc: ["body", "api_name"], ...noApiName }] });
  const read = async (): Promise<Field> => fieldOf(await requireSchema(tenant, object_id), field.api_name);
  const created = await tenant.once.write(async () => {
    const schema = await requireSchema(tenant, object_id);
    refuseNewField(schema, field);
    refuseRulesOver(schema, field);
    const checked = await checkedField(tenant, field);
    await refuseUnfitRecords(tenant, schema.api_name, [checked]);
    if (indexNameOf(field) !== undefined) await askForMigration(tenant.organization_id);
    return async (session) => {
      const add = (stored: ObjectSchema): ObjectSchema => {
        refuseNewField(stored, field);
        refuseRulesOver(stored, field);
        return withField(stored, field);
      };
      const after = await changeSchemaIn(tenant, object_id, add, session);
      return { ids: [field.api_name], value: await shownField(tenant, after, field.api_name, session) };
    };
  }, read);
  return created.index_status === "building" ? settled(tenant, object_id, field.api_name, later) : created;
};

/** Conditions cannot read encrypted values. Raises `in_use` with the rules that do. */
export const refuseRulesOver = (schema: ObjectSchema, { api_name, encrypted }: Field): void => {
  const users = encrypted === true ? rulesOverField(schema, api_name) : [];
  if (users.length === 0) return;
  const message = `The field "${api_name}" cannot be encrypted: it is used by ${users.join(", ")}.`;
  throw new Fault("in_use", { message });
};

const isEncrypted = ({ encrypted }: Field): boolean => encrypted === true;

/** Refuses another way of storing while there are values. Raises `values_do_not_fit` and `standard_object`. */
const refuseOtherEncryption = async (tenant: Tenant, schema: ObjectSchema, from: Field, to: Field): Promise<void> => {
  const { api_name } = to;
  if (isEncrypted(from) !== isEncrypted(to)) {
    if (standardField(schema, api_name) !== undefined) {
      const message = `The platform reads the standard field "${api_name}". It cannot be encrypted.`;
      throw new Fault("standard_object", { message });
    }
    await refuseHeldValues(tenant, schema.api_name, to, "Stored values are neither encrypted nor decrypted.");
  } else if (isEncrypted(to)) {
    const isHashed = fieldIndexOf(to) !== null;
    if ((fieldIndexOf(from) !== null) !== isHashed) {
      const change = isHashed ? "Their hashes, which an index needs, are not there." : "Their hashes would stay.";
      await refuseHeldValues(tenant, schema.api_name, to, change);
    } else if (changesValues(from, to)) {
      await refuseHeldValues(tenant, schema.api_name, to, "Encrypted values cannot be checked against another format.");
    }
  }
};

/** What decides how values are stored. */
const changesValues = (from: Field, to: Field): boolean =>
  from.type !== to.type || from.format !== to.format || from.schema !== to.schema;

/** Own values and a value list exclude each other: the one that is given replaces the other. */
const changedField = (stored: Field, settings: ChangedSettings): Field => {
  const { values, global_list_name, ...others } = ownField(stored);
  const replaced = settings.values !== undefined || settings.global_list_name !== undefined;
  const choices = { ...(values && { values }), ...(global_list_name && { global_list_name }) };
  return withSettings(replaced ? others : { ...others, ...choices }, settings);
};

/** Whether the field's index has to be built. */
const needsIndex = (before: Field, after: Field): boolean =>
  indexNameOf(after) !== indexNameOf(before) || before.index_status === "failed";

/**
 * Refuses a change that the stored records or the platform do not permit. `after` has the values of its list. Raises
 * `standard_object`, `values_do_not_fit` and `duplicate_value`.
 */
export const refuseUnfitChange = async (
  tenant: Tenant,
  schema: ObjectSchema,
  before: Field,
  after: Field,
): Promise<void> => {
  const { api_name } = after;
  await refuseOtherEncryption(tenant, schema, before, after);
  if (changesValues(before, after)) {
    if (standardField(schema, api_name) !== undefined)
      throw new Fault("standard_object", {
        message: `The type of the standard field "${api_name}" cannot be changed.`,
      });
    if (!isEncrypted(after)) await refuseUnfitValues(tenant, schema.api_name, [after]);
  }
  if (after.unique === true && needsIndex(before, after)) await refuseEqualValues(tenant, schema.api_name, after);
};

/**
 * Changes the settings that are given. Raises `object_not_found`, `field_not_found`, `standard_object`,
 * `validation_failed`, `values_do_not_fit`, `duplicate_value`, and `in_use` if rules read a field to be encrypted.
 */
export const updateField = async (
  tenant: Tenant,
  { object_id, api_name, ...settings }: z.output<typeof fieldUpdateRequest>,
  later: InvokeLater,
): Promise<Field> => {
  const schema = await requireSchema(tenant, object_id);
  refuseSystemField(api_name);
  const change = (stored: ObjectSchema): Field => tryIndexAgain(changedField(fieldOf(stored, api_name), settings));
  const [before, after] = [fieldOf(schema, api_name), change(schema)];
  refuseOtherRights(schema.api_name, before, after);
  await refuseUnfitChange(tenant, schema, before, await checkedField(tenant, after));
  const isNewIndex = needsIndex(before, after);
  if (indexNameOf(after) !== undefined && isNewIndex) await askForMigration(tenant.organization_id);
  const apply = (stored: ObjectSchema): ObjectSchema => {
    const field = change(stored);
    refuseRulesOver(stored, field);
    return withField(stored, field);
  };
  const changed = await tenant.transaction((session) => changeSchemaIn(tenant, object_id, apply, session));
  if (isNewIndex || isBuilding(changed)) return settled(tenant, object_id, api_name, later);
  return shownField(tenant, changed, api_name);
};

/**
 * Deletes a field. Its values stay in the database. Raises `object_not_found`, `field_not_found`, `standard_object`,
 * and `in_use` if rules use it, unless forced.
 */
export const deleteField = async (
  tenant: Tenant,
  object: string,
  name: string,
  { force, later }: { readonly force: boolean; readonly later: InvokeLater },
): Promise<void> => {
  refuseSystemField(name);
  const remove = (stored: ObjectSchema): ObjectSchema => {
    fieldOf(stored, name);
    if (name === "name" || standardField(stored, name) !== undefined)
      throw new Fault("standard_object", { message: `The platform needs the field "${name}".` });
    const users = dependentsOfField(stored, name);
    if (users.length > 0 && !force)
      throw new Fault("in_use", { message: `The field "${name}" is used by ${users.join(", ")}.` });
    const { [name]: _, ...properties } = stored.properties;
    return { ...stored, properties, required: stored.required.filter((one) => one !== name) };
  };
  const changed = await tenant.transaction((session) => changeSchemaIn(tenant, object, remove, session));
  // Drops the field's index, which would refuse writes if it is unique and a new field of the name is not.
  await settleChange(tenant, changed.api_name, later);
};
