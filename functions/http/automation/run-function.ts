import { runFunction as contract } from "#contracts/functions";
import { answerOf, runFunction } from "#shared/functions/functions";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(contract)(async ({ tenant, body, request }) => {
  const { function_name, function_id, inputs = {} } = body;
  const which = function_id === undefined ? { file_name: function_name ?? "" } : { id: function_id };
  const outcome = await runFunction(tenant, which, inputs, { place: "api", deadline: request.deadline });
  return reply(200, answerOf(outcome), { "x-execution-id": outcome.execution_id });
});
