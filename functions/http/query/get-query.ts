import { getQuery } from "#contracts/query";
import { presented, runQuery } from "#shared/data/query/query";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(getQuery)(async ({ tenant, query, request }) => {
  const { q: text, bypass_cache: bypassCache, count, cursor } = query;
  const answer = await runQuery(tenant, { text, loc: ["query", "q"], cursor, count, bypassCache });
  const { body, headers } = presented(text, answer, request.prefers);
  return reply(200, body, headers);
});
