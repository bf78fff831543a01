import { getExecution } from "#contracts/functions";
import { readExecution } from "#shared/functions/functions";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(getExecution)(async ({ tenant, path }) =>
  reply(200, await readExecution(tenant, path.id)),
);
