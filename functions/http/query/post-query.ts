import { postQuery } from "#contracts/query";
import { presented, runQuery } from "#shared/data/query/query";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(postQuery)(async ({ tenant, body, request }) => {
  const { query: text, bypass_cache: bypassCache, count, cursor } = body;
  const answer = await runQuery(tenant, { text, loc: ["body", "query"], cursor, count, bypassCache });
  const { body: shown, headers } = presented(text, answer, request.prefers);
  return reply(200, shown, headers);
});
