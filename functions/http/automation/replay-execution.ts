import { replayExecution } from "#contracts/functions";
import { answerOf, type Replayer, replay, replayTrigger } from "#shared/functions/functions";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

/** Loaded when an automation is repeated. */
const automation: Replayer = async (...given) =>
  (await import("#shared/automation/automation")).replayAutomation(...given);

export const handler = endpoint(replayExecution)(async ({ tenant, path, request }) => {
  const outcome = await replay(tenant, path.id, request.deadline, { automation, trigger: replayTrigger });
  return reply(200, answerOf(outcome), { "x-execution-id": outcome.execution_id });
});
