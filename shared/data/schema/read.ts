import { isObjectName } from "#contracts/common";
import { estimateBytes } from "#shared/foundation/bounded-cache";
import { type Tenant, versionedCache } from "#shared/tenant/tenant";
import { type ObjectSchema, resolveSchema, SCHEMAS_COLLECTION, type StoredSchema } from "./document.ts";

export type SchemaReader = Pick<Tenant, "organization_id" | "collection" | "state">;

const MEGABYTE = 1024 * 1024;

/** What is worked out from a schema and lives as long (its indexes, its readable fields) takes about as much again. */
const bytesOf = (schemas: object): number => 2 * estimateBytes(schemas);

/** One entry an object: an environment that serves a thousand organizations holds what they use, not all they have. */
const oneByOne = versionedCache<ObjectSchema>({ mostBytes: 32 * MEGABYTE, bytesOf });
const whole = versionedCache<Record<string, ObjectSchema>>({ mostBytes: 32 * MEGABYTE, bytesOf });

const findSchema = async (tenant: SchemaReader, name: string): Promise<ObjectSchema | null> => {
  const apiName = name.toLowerCase();
  const found = await tenant
    .collection<StoredSchema>(SCHEMAS_COLLECTION)
    .find({ $or: [{ api_name: apiName }, { _id: name }] })
    .limit(2)
    .toArray();
  const document = found.find((candidate) => candidate.api_name === apiName) ?? found[0];
  return document === undefined ? null : resolveSchema(document);
};

/** The object of that api_name, in any letter case, or of that id; null if there is none. */
export const schemaOf = async (tenant: SchemaReader, name: string): Promise<ObjectSchema | null> => {
  if (!isObjectName(name)) return null;
  const key = `${tenant.organization_id}/${name}`;
  return oneByOne.read(key, tenant.state.schema_version, () => findSchema(tenant, name));
};

/** Every object of the organization by api_name, in alphabetical order. */
export const schemasOf = (tenant: SchemaReader): Promise<Record<string, ObjectSchema>> =>
  whole.read(tenant.organization_id, tenant.state.schema_version, async () => {
    const documents = await tenant.collection<StoredSchema>(SCHEMAS_COLLECTION).find().sort({ api_name: 1 }).toArray();
    return Object.fromEntries(documents.map((document) => [document.api_name, resolveSchema(document)]));
  });
