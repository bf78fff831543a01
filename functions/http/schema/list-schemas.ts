import { listSchemas } from "#contracts/schema";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { visibleSchemas } from "#shared/schema/schema";

export const handler = endpoint(listSchemas)(async ({ tenant }) => reply(200, await visibleSchemas(tenant)));
