import { getStatus } from "#contracts/platform";
import { env } from "#shared/foundation/env";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";
import { checkDependencies } from "#shared/tenant/tenant";

export const handler = endpoint(getStatus)(async ({ query }) => {
  const status = { detail: "ok", version: env.version(), stage: env.stage() } as const;
  return reply(200, query.deep === true ? { ...status, checks: await checkDependencies() } : status);
});
