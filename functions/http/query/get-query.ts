import { getQuery } from "#contracts/query";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { runQuery } from "#shared/query/query";

export const handler = endpoint(getQuery)(async ({ tenant, query }) =>
  reply(200, await runQuery(tenant, query.q, { loc: ["query", "q"] })),
);
