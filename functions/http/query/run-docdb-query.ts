import { runDocdbQuery } from "#contracts/query";
import { pageHeaders, runPipeline } from "#shared/data/pipeline/pipeline";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(runDocdbQuery)(async ({ tenant, body }) => {
  const result = await runPipeline(tenant, body);
  return reply(200, result.records, pageHeaders(result));
});
