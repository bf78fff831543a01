import type { Document } from "mongodb";
import type { Tenant } from "#shared/tenant/tenant";
import { apiRecordOf } from "../api-record.ts";
import type { WriteMaps } from "../hooks.ts";
import { targetOf } from "../target.ts";

/** The maps of a record that the platform itself creates, as the caller may read it. */
export const storedMaps = async (
  tenant: Tenant,
  object: string,
  record: Document & { readonly _id: string },
): Promise<WriteMaps> => {
  const target = await targetOf(tenant, object, "read");
  const shown = (await apiRecordOf(target))(record);
  return {
    target,
    operation: "create",
    new_map: { [record._id]: JSON.parse(JSON.stringify(shown)) },
    old_map: {},
    at: () => ["body"],
  };
};
