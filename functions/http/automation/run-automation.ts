import { runAutomation as contract } from "#contracts/automations";
import { runAutomation, waitingAnswer } from "#shared/automation/automation";
import { answerOf } from "#shared/functions/functions";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(contract)(async ({ tenant, path, body, request }) => {
  const origin = { place: "api", deadline: request.deadline } as const;
  const outcome = await runAutomation(tenant, path.automation_id, body?.inputs ?? {}, origin);
  const headers = { "x-execution-id": outcome.execution_id };
  return outcome.status === "waiting"
    ? reply(202, waitingAnswer(outcome), headers)
    : reply(200, answerOf(outcome), headers);
});
