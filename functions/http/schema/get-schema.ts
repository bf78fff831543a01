import { getSchema } from "#contracts/schema";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { visibleSchema } from "#shared/schema/schema";

export const handler = endpoint(getSchema)(async ({ tenant, path }) =>
  reply(200, await visibleSchema(tenant, path.object)),
);
