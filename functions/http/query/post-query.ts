import { postQuery } from "#contracts/query";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { presented, runQuery } from "#shared/query/query";

export const handler = endpoint(postQuery)(async ({ tenant, body, request }) => {
  const { query: text, bypass_cache: bypassCache, count, cursor } = body;
  const answer = await runQuery(tenant, { text, loc: ["body", "query"], cursor, count, bypassCache });
  const { body: shown, headers } = presented(text, answer, request.prefers);
  return reply(200, shown, headers);
});
