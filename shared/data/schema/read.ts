import { isObjectName } from "#contracts/common";
import { estimateBytes } from "#shared/foundation/bounded-cache";
import { Fault } from "#shared/foundation/faults";
import { type Tenant, versionedCache } from "#shared/tenant/tenant";
import { type ObjectSchema, resolveSchema, SCHEMAS_COLLECTION, type StoredSchema } from "./object-schema.ts";
import { resolveLists } from "./value-lists.ts";

export type SchemaReader = Pick<Tenant, "organization_id" | "generation" | "collection" | "state">;

const MEGABYTE = 1024 * 1024;

/** Doubled, because what is derived from a schema (its index plan, its readable fields) lives as long as it does. */
const bytesOf = (schemas: object): number => 2 * estimateBytes(schemas);

/** Measured: 50 KiB for an object of 50 fields with five rules. */
const compiledRulesBytes = ({ validation_rules }: ObjectSchema): number =>
  validation_rules.length === 0 ? 0 : 40_000 + 4_000 * validation_rules.length;

/** One entry an object, so that an environment that serves many organizations holds only the objects in use. */
const schemaCache = versionedCache<ObjectSchema>({
  mostBytes: 32 * MEGABYTE,
  bytesOf: (schema) => bytesOf(schema) + compiledRulesBytes(schema),
});
const allSchemasCache = versionedCache<Record<string, ObjectSchema>>({ mostBytes: 32 * MEGABYTE, bytesOf });

const findSchema = async (tenant: SchemaReader, name: string): Promise<ObjectSchema | null> => {
  const apiName = name.toLowerCase();
  const found = await tenant
    .collection<StoredSchema>(SCHEMAS_COLLECTION)
    .find({ $or: [{ api_name: apiName }, { _id: name }] })
    .limit(2)
    .toArray();
  const document = found.find((candidate) => candidate.api_name === apiName) ?? found[0];
  if (document === undefined) return null;
  const [schema = null] = await resolveLists(tenant, [resolveSchema(document)]);
  return schema;
};

/** The object with this api_name (case-insensitive) or id; null if there is none. */
export const schemaOf = async (tenant: SchemaReader, name: string): Promise<ObjectSchema | null> => {
  if (!isObjectName(name)) return null;
  return schemaCache.read(tenant, name, tenant.state.schema_version, () => findSchema(tenant, name));
};

/** As `schemaOf`. Raises `object_not_found`. */
export const requireSchema = async (tenant: SchemaReader, name: string): Promise<ObjectSchema> => {
  const schema = await schemaOf(tenant, name);
  if (schema === null) throw new Fault("object_not_found", { message: `There is no object "${name}".` });
  return schema;
};

/** Every object of the organization by api_name, in alphabetical order. */
export const schemasOf = (tenant: SchemaReader): Promise<Record<string, ObjectSchema>> =>
  allSchemasCache.read(tenant, "", tenant.state.schema_version, async () => {
    const documents = await tenant.collection<StoredSchema>(SCHEMAS_COLLECTION).find().sort({ api_name: 1 }).toArray();
    const schemas = await resolveLists(tenant, documents.map(resolveSchema));
    return Object.fromEntries(schemas.map((schema) => [schema.api_name, schema]));
  });
