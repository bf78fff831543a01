import { deleteSchema as contract } from "#contracts/schema";
import { refuseUnmasking } from "#shared/data/access/access";
import { deleteSchema } from "#shared/data/schema/schema";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(contract)(async ({ tenant, path, query }) => {
  await refuseUnmasking(tenant, path.object, "all");
  return reply(200, { deleted: await deleteSchema(tenant, path.object, query) });
});
