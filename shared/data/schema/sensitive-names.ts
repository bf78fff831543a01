import type { UpdateFilter } from "mongodb";
import { type OrganizationState, STATE_COLLECTION, type TenantDatabase } from "#shared/tenant/tenant";
import { type ObjectSchema, SCHEMAS_COLLECTION, type StoredSchema } from "./object-schema.ts";

type Database = Pick<TenantDatabase, "organization_id" | "collection">;

const isSensitive = (schema: ObjectSchema | null): boolean => schema?.properties.name?.sensitive === true;

/**
 * The part of the organization state that a change of an object changes. Requests read there which objects have
 * sensitive names, because references show names.
 */
export const sensitiveNamesUpdate = (
  before: ObjectSchema | null,
  after: ObjectSchema | null,
): UpdateFilter<OrganizationState> => {
  if (after === null || (before !== null && isSensitive(before) === isSensitive(after))) return {};
  return { [isSensitive(after) ? "$addToSet" : "$pull"]: { sensitive_names: after.api_name } };
};

/** Objects with a sensitive `name` that the organization state does not list. */
export const unlistedSensitiveNames = async ({ organization_id, collection }: Database): Promise<string[]> => {
  const found = await collection<StoredSchema>(SCHEMAS_COLLECTION)
    .find({ "properties.name.sensitive": true }, { projection: { api_name: 1 } })
    .toArray();
  const state = await collection<OrganizationState>(STATE_COLLECTION).findOne({ _id: organization_id });
  const known = state?.sensitive_names ?? [];
  return found.map(({ api_name }) => api_name).filter((name) => !known.includes(name));
};

/** Lists them. Raises nothing if another process does the same. */
export const listSensitiveNames = async (database: Database): Promise<string[]> => {
  const names = await unlistedSensitiveNames(database);
  if (names.length === 0) return [];
  await database
    .collection<OrganizationState>(STATE_COLLECTION)
    .updateOne({ _id: database.organization_id }, { $addToSet: { sensitive_names: { $each: names } } });
  return names;
};
