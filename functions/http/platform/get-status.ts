import { getStatus } from "#contracts/platform";
import { env } from "#shared/env";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { checkDependencies } from "#shared/status/status";

export const handler = endpoint(getStatus)(async ({ query }) => {
  const status = { detail: "ok", version: env.version(), stage: env.stage() } as const;
  return reply(200, query.deep === true ? { ...status, checks: await checkDependencies() } : status);
});
