import { isReservedName, type ObjectSchema, requireSchema, schemaOf } from "#shared/data/schema/schema";
import { Fault } from "#shared/foundation/faults";
import type { Tenant } from "#shared/tenant/tenant";
import { accessOf } from "./caller-access.ts";
import { SENSITIVE_SCOPE } from "./sensitive-values.ts";

const isSensitive = ({ properties }: ObjectSchema, name: string): boolean =>
  Object.hasOwn(properties, name) && properties[name]?.sensitive === true;

const refused = (what: string): Fault =>
  new Fault("forbidden", {
    message: `${what} sensitive, and you do not have the scope "${SENSITIVE_SCOPE}", which this change needs.`,
  });

/**
 * Refuses the deletion of sensitive fields by a caller for whom their values are masked: the values stay under their
 * names. Raises `object_not_found` and `forbidden`.
 */
export const refuseUnmasking = async (
  tenant: Tenant,
  object: string,
  fields: "all" | readonly string[],
): Promise<void> => {
  const { seesSensitive } = await accessOf(tenant);
  if (seesSensitive || fields.length === 0) return;
  const schema = await requireSchema(tenant, object);
  const found = (fields === "all" ? Object.keys(schema.properties) : fields).find((name) => isSensitive(schema, name));
  if (found !== undefined) throw refused(`The field "${found}" of "${schema.api_name}" is`);
};

/** Settings that are refused for values that do not fit, which tells something about the values. */
const telling = [
  "type",
  "format",
  "schema",
  "values",
  "restricted",
  "global_list_name",
  "unique",
  "encrypted",
] as const;

type FieldChange = Partial<Readonly<Record<(typeof telling)[number] | "sensitive", unknown>>> & {
  readonly object_id: string;
  readonly api_name: string;
};

/**
 * Refuses changes of a sensitive field by which a caller could see its masked values or try guesses on them. Raises
 * `object_not_found` and `forbidden`.
 */
export const refuseUnmaskingChange = (tenant: Tenant, change: FieldChange): Promise<void> => {
  const tells = change.sensitive === false || telling.some((setting) => change[setting] !== undefined);
  return refuseUnmasking(tenant, change.object_id, tells ? [change.api_name] : []);
};

/**
 * Refuses a new field or object under a name that has values of a deleted one, by a caller for whom sensitive values
 * are masked: nobody knows any more which of them were sensitive. Raises `object_not_found` and `forbidden`.
 */
export const refuseReviving = async (tenant: Tenant, object: string, field?: string): Promise<void> => {
  const { seesSensitive } = await accessOf(tenant);
  if (seesSensitive) return;
  const schema = field === undefined ? await schemaOf(tenant, object) : await requireSchema(tenant, object);
  // An object that is there is not created again, and reserved names are refused anyway.
  if (field === undefined && (schema !== null || isReservedName(object))) return;
  const collection = schema?.api_name ?? object;
  const match = field === undefined ? {} : { [field]: { $ne: null } };
  const found = await tenant.collection(collection).findOne(match, { projection: { _id: 1 }, maxTimeMS: 10_000 });
  if (found === null) return;
  const deleted = field === undefined ? "object" : "field";
  const message =
    `Values of a deleted ${deleted} are stored under this name. They may be sensitive, and you do not have the scope ` +
    `"${SENSITIVE_SCOPE}".`;
  throw new Fault("forbidden", { message });
};

/** Refuses a condition over sensitive values: which records it refuses would tell them. Raises `forbidden`. */
export const refuseSensitiveCondition = async (
  tenant: Tenant,
  schema: ObjectSchema,
  fields: ReadonlySet<string>,
): Promise<void> => {
  const { seesSensitive } = await accessOf(tenant);
  const found = seesSensitive ? undefined : [...fields].find((name) => isSensitive(schema, name));
  if (found !== undefined) throw refused(`The condition reads "${found}", which is`);
};
