import { replayExecution } from "#contracts/functions";
import { answerOf, replay } from "#shared/functions/functions";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(replayExecution)(async ({ tenant, path, request }) => {
  const outcome = await replay(tenant, path.id, request.deadline);
  return reply(200, answerOf(outcome), { "x-execution-id": outcome.execution_id });
});
