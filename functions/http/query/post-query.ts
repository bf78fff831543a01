import { postQuery } from "#contracts/query";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { runQuery } from "#shared/query/query";

export const handler = endpoint(postQuery)(async ({ tenant, body }) =>
  reply(200, await runQuery(tenant, body.query, { loc: ["body", "query"] })),
);
