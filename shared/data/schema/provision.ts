import type { ClientSession } from "mongodb";
import type { TenantDatabase } from "#shared/tenant/tenant";
import { type ObjectSchema, SCHEMAS_COLLECTION, type StoredSchema, storedSchema } from "./document.ts";
import { standardObjects } from "./standard/standard-objects.ts";

/** The definitions of all standard objects, with the system fields. */
export const standardSchemas = (): readonly ObjectSchema[] => standardObjects();

/**
 * Writes what is missing of the standard objects in one command; what exists stays as it is. A standard object's id
 * is its api_name, so doing it twice, or twice at once, ends the same.
 */
export const provisionStandardObjects = async (database: TenantDatabase, session: ClientSession): Promise<void> => {
  const operations = standardObjects().map((schema) => {
    const { _id, ...document } = storedSchema(schema);
    return { updateOne: { filter: { _id }, update: { $setOnInsert: document }, upsert: true } };
  });
  await database.collection<StoredSchema>(SCHEMAS_COLLECTION).bulkWrite(operations, { session });
};
