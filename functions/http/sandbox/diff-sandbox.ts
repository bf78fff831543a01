import { diffSandbox as contract } from "#contracts/sandbox";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";
import { sandboxes } from "#shared/sandboxes/sandboxes";

export const handler = endpoint(contract)(async ({ tenant, path }) =>
  reply(200, await sandboxes(tenant).compare(path.name)),
);
