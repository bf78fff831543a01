import { runPublicAutomation as contract } from "#contracts/automations";
import { publicAnswer, runPublicAutomation, waitingAnswer } from "#shared/automation/automation";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(contract)(async ({ path, headers, body, request }) => {
  const outcome = await runPublicAutomation({
    organization_id: path.org_id,
    automation_id: path.automation_id,
    address: request.device.address,
    body,
    key: headers["idempotency-key"],
    deadline: request.deadline,
    request_id: request.id,
  });
  const execution = { "x-execution-id": outcome.execution_id };
  return outcome.status === "waiting"
    ? reply(202, waitingAnswer(outcome), execution)
    : reply(200, publicAnswer(outcome), execution);
});
