import { deleteField as contract } from "#contracts/schema";
import { refuseUnmasking } from "#shared/data/access/access";
import { deleteField } from "#shared/data/schema/schema";
import { invokeLater } from "#shared/foundation/aws/functions";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(contract)(async ({ tenant, path, query }) => {
  await refuseUnmasking(tenant, path.object_id, [path.field_name]);
  await deleteField(tenant, path.object_id, path.field_name, { ...query, later: invokeLater });
  return reply(200, { deleted: path.field_name });
});
