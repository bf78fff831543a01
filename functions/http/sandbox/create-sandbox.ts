import { createSandbox as contract } from "#contracts/sandbox";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";
import { sandboxes } from "#shared/sandboxes/sandboxes";

export const handler = endpoint(contract)(async ({ tenant, body }) => {
  const sandbox = await sandboxes(tenant).create(body);
  return sandbox.status === "active" ? reply(201, sandbox) : reply(202, sandbox);
});
