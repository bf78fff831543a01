import { deleteSandbox as contract } from "#contracts/sandbox";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";
import { sandboxes } from "#shared/sandboxes/sandboxes";

export const handler = endpoint(contract)(async ({ tenant, path: { name } }) => {
  const { complete } = await sandboxes(tenant).delete(name);
  const detail = complete
    ? `The sandbox "${name}" has been deleted.`
    : `The sandbox "${name}" can no longer be used, and is being deleted.`;
  return reply(200, { detail });
});
