import { removeSandboxUsers as contract } from "#contracts/sandbox";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";
import { sandboxes } from "#shared/sandboxes/sandboxes";

export const handler = endpoint(contract)(async ({ tenant, path }) => {
  await sandboxes(tenant).removeUsers(path.name, path.userIds);
  return reply(204);
});
