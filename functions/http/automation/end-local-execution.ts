import { endLocalExecution as contract } from "#contracts/local-executions";
import { bearerToken, endLocalExecution } from "#shared/functions/functions";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(contract)(async ({ headers, body }) => {
  await endLocalExecution(bearerToken(headers.authorization), body);
  return reply(204);
});
