import { records } from "#shared/data/records/records";
import { schemaOf } from "#shared/data/schema/schema";
import type { Tenant } from "#shared/tenant/tenant";

/**
 * What a template reads of a record: its fields, within the caller's access, under the name of its object and as
 * `record`. Raises what `records.get` raises.
 */
export const recordData = async (
  tenant: Tenant,
  { object, id }: { readonly object: string; readonly id: string },
): Promise<Record<string, unknown>> => {
  const found = await records(tenant).get(object, id);
  const record: unknown = JSON.parse(JSON.stringify(found));
  const name = (await schemaOf(tenant, object))?.api_name ?? object;
  return { [name]: record, record };
};
