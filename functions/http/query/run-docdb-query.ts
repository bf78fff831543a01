import { runDocdbQuery } from "#contracts/query";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { pageHeaders, runPipeline } from "#shared/pipeline/pipeline";

export const handler = endpoint(runDocdbQuery)(async ({ tenant, body }) => {
  const result = await runPipeline(tenant, body);
  return reply(200, result.records, pageHeaders(result));
});
