import type { Filter } from "mongodb";
import type { Tenant } from "#shared/tenant/tenant";
import { collectionOf, permitted, type StoredRecord } from "../stored-record.ts";
import { targetOf } from "../target.ts";

/**
 * A stored record that defines behaviour, with all its fields, if the caller may read the record; else null. Raises
 * `forbidden` if they may not read the object.
 */
export const readDefinition = async (
  tenant: Tenant,
  object: "function" | "automation",
  match: Filter<StoredRecord>,
): Promise<StoredRecord | null> => {
  const target = await targetOf(tenant, object, "read");
  return collectionOf(target).findOne(permitted(target, match));
};
