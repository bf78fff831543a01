import { valueMaskOf } from "#shared/data/access/access";
import { Fault } from "#shared/foundation/faults";
import type { Tenant } from "#shared/tenant/tenant";
import { collectionOf, permitted } from "../stored-record.ts";
import { targetOf } from "../target.ts";

/**
 * The value of the `app_metadata` record of this api_name; undefined if there is none that the caller may read. Raises
 * `forbidden` if they may not read the object, the field or its value.
 */
export const configValue = async (tenant: Tenant, apiName: string): Promise<unknown> => {
  const target = await targetOf(tenant, "app_metadata", "read");
  const { access, object, schema } = target;
  const field = schema.properties.value;
  const isShown = field !== undefined && access.fieldReadable(object, "value") && valueMaskOf(field, access) === null;
  if (!isShown) throw new Fault("forbidden", { message: "You may not see the values of the configuration." });
  const found = await collectionOf(target).findOne(permitted(target, { api_name: apiName }));
  return found?.value;
};
