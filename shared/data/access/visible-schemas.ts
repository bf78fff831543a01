import { type ObjectSchema, schemaOf, schemasOf, usesField } from "#shared/data/schema/schema";
import { Fault } from "#shared/foundation/faults";
import { replyMeter } from "#shared/foundation/reply-size";
import type { Tenant } from "#shared/tenant/tenant";
import { type Access, accessOf, requireAccess } from "./caller-access.ts";

/** Whether the field exists for the caller: they may read or write it. */
export const seesField = (access: Access, object: string, name: string): boolean =>
  access.fieldReadable(object, name) ||
  access.fieldWritable(object, name, "create") ||
  access.fieldWritable(object, name, "update");

/** The schema without the fields that the caller may neither read nor write, and without the rules that name them. */
const visibleOf = (access: Access, schema: ObjectSchema): ObjectSchema => {
  const sees = (name: string): boolean => seesField(access, schema.api_name, name);
  const hidden = Object.keys(schema.properties).filter((name) => !sees(name));
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(schema.properties).filter(([name]) => sees(name))),
    required: schema.required.filter(sees),
    validation_rules: schema.validation_rules.filter((rule) => !hidden.some((name) => usesField(rule, name))),
  };
};

export interface SchemaPage {
  readonly schemas: Record<string, ObjectSchema>;
  /** The api_name of the last object, if there are more than fit into a reply. */
  readonly next: string | null;
}

/** The objects that the caller may read, by api_name, as many of them after `after` as fit into a reply. */
export const visibleSchemas = async (tenant: Tenant, after = ""): Promise<SchemaPage> => {
  const [access, schemas] = await Promise.all([accessOf(tenant), schemasOf(tenant)]);
  const readable = Object.entries(schemas).filter(([name]) => name > after && access.can(name, "read"));
  const visible = readable.map(([name, schema]) => ({ [name]: visibleOf(access, schema) }));
  const fits = replyMeter({});
  const cut = visible.findIndex((entry) => !fits(entry));
  const shown = cut < 0 ? visible : visible.slice(0, cut);
  return { schemas: Object.assign({}, ...shown), next: cut < 0 ? null : (readable[cut - 1]?.[0] ?? null) };
};

/** One object by api_name or id. Raises `object_not_found` and `forbidden`. */
export const visibleSchema = async (tenant: Tenant, object: string): Promise<ObjectSchema> => {
  const [access, schema] = await Promise.all([accessOf(tenant), schemaOf(tenant, object)]);
  if (schema === null) throw new Fault("object_not_found");
  requireAccess(access, schema.api_name, "read");
  return visibleOf(access, schema);
};
