import { type ObjectSchema, requireSchema } from "#shared/data/schema/schema";
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
 * Refuses changes of the model by which a caller for whom sensitive values are masked could see them: such a caller
 * may neither delete the fields, whose values stay under their names, nor set `sensitive` to false. Raises
 * `object_not_found` and `forbidden`.
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
