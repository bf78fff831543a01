import { pushSandboxApp as contract } from "#contracts/sandbox";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";
import { pushApp } from "#shared/sandboxes/push/push";

export const handler = endpoint(contract)(async ({ tenant, path }) => reply(200, await pushApp(tenant, path)));
