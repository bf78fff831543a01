import { callContext as contract } from "#contracts/context";
import { bearerToken, type ContextPorts, callContext } from "#shared/functions/context/context";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

const ports: ContextPorts = {
  // Loaded when a function asks for it.
  runWorkflow: async (...given) => (await import("#shared/automation/automation")).runWorkflow(...given),
};

export const handler = endpoint(contract)(async ({ headers, body, request }) => {
  const token = bearerToken(headers.authorization);
  const call = { token, body, request_id: request.id, deadline: request.deadline };
  return reply(200, { result: await callContext(call, ports) });
});
