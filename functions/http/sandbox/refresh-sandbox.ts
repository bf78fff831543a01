import { refreshSandbox as contract } from "#contracts/sandbox";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";
import { sandboxes } from "#shared/sandboxes/sandboxes";

export const handler = endpoint(contract)(async ({ tenant, path, query }) => {
  if (query.dry_run) return reply(200, await sandboxes(tenant).compare(path.name));
  const sandbox = await sandboxes(tenant).refresh(path.name);
  return sandbox.status === "active" ? reply(200, sandbox) : reply(202, sandbox);
});
