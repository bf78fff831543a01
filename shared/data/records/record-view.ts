import type { Document } from "mongodb";
import type { Tenant } from "#shared/tenant/tenant";
import { type ApiRecord, apiRecordOf } from "./api-record.ts";
import { targetOf } from "./target.ts";

/**
 * A state of a record that is not stored any more, as the caller may read it; null if they may not see it. Raises
 * `reserved_object`, `object_not_found` and `forbidden`.
 */
export const recordView = async (tenant: Tenant, object: string, record: Document): Promise<ApiRecord | null> => {
  const target = await targetOf(tenant, object, "read");
  if (target.access.rows.right(target.schema, record) === null) return null;
  return (await apiRecordOf(target))({ ...record, _id: record.id });
};
