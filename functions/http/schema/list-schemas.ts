import { listSchemas } from "#contracts/schema";
import { visibleSchemas } from "#shared/data/access/access";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(listSchemas)(async ({ tenant }) => reply(200, await visibleSchemas(tenant)));
