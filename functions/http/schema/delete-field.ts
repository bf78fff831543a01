import { deleteField as contract } from "#contracts/schema";
import { deleteField } from "#shared/data/schema/schema";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(contract)(async ({ tenant, path, query }) => {
  await deleteField(tenant, path.object_id, path.field_name, query);
  return reply(200, { deleted: path.field_name });
});
