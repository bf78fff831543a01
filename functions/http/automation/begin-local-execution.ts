import { beginLocalExecution as contract } from "#contracts/local-executions";
import { beginLocalExecution } from "#shared/functions/functions";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(contract)(async ({ tenant, body }) =>
  reply(201, await beginLocalExecution(tenant, body.function_name, body.inputs ?? {})),
);
