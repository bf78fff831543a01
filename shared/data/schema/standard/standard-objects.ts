import type { ClientSession } from "mongodb";
import type { TenantDatabase } from "#shared/tenant/tenant";
import { type ObjectSchema, SCHEMAS_COLLECTION, type StoredSchema, storedSchema } from "../object-schema.ts";
import { appObjects } from "./app-objects.ts";
import { businessObjects } from "./business-objects.ts";
import { contentObjects } from "./content-objects.ts";
import { peopleObjects } from "./people-objects.ts";

let defined: readonly ObjectSchema[] | undefined;

/** The standard objects that every new organization gets, with the system fields. Built on first use. */
export const standardSchemas = (): readonly ObjectSchema[] => {
  defined ??= [...peopleObjects(), ...appObjects(), ...contentObjects(), ...businessObjects()];
  return defined;
};

/**
 * Writes the standard objects that are missing, in one command, and leaves existing ones as they are. Idempotent, also
 * when run concurrently: the id of a standard object is its api_name.
 */
export const provisionStandardObjects = async (database: TenantDatabase, session: ClientSession): Promise<void> => {
  const operations = standardSchemas().map((schema) => {
    const { _id, ...document } = storedSchema(schema);
    return { updateOne: { filter: { _id }, update: { $setOnInsert: document }, upsert: true } };
  });
  await database.collection<StoredSchema>(SCHEMAS_COLLECTION).bulkWrite(operations, { session });
};
