import { once } from "node:events";
import { createServer } from "node:http";
import type { LaunchedPlatform } from "../setup/launch-platform.ts";
import { comparePair, perSecond, type Target, timedGet } from "./measure.ts";
import type { Prepared } from "./prepare.ts";
import { line, ratio } from "./print.ts";

const QUERY = "SELECT id, name, status, amount FROM lead WHERE status = 'New' ORDER BY amount DESC LIMIT 100";

/** The pipeline that an expert would write for the same rows. */
export const QUERY_PIPELINE = [
  { $match: { status: "New" } },
  { $sort: { amount: -1, _id: 1 } },
  { $limit: 100 },
  { $project: { _id: 0, id: 1, name: 1, status: 1, amount: 1 } },
];

const ROUNDS = 1_500;

/** The health route against a plain Node server in this process, in turns, both warm. */
const benchHealth = async (url: string): Promise<void> => {
  const body = JSON.stringify({ status: "ok" });
  const server = createServer((_, reply) => {
    reply.writeHead(200, { "content-type": "application/json" }).end(body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const bare = { url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/` };
  const sums = { health: 0, bare: 0 };
  const turns = 3;
  for (let turn = 0; turn <= turns; turn += 1) {
    const health = await perSecond(() => timedGet({ url: `${url}/v1/status` }), 32, 3);
    const served = await perSecond(() => timedGet(bare), 32, 3);
    // The first turn warms up.
    if (turn === 0) continue;
    sums.health += health / turns;
    sums.bare += served / turns;
  }
  server.close();
  const quotient = sums.bare / sums.health;
  const verdict = quotient <= 3 ? "met" : "missed";
  line("a bare server's rate ÷ GET /v1/status, 32 at once", `${quotient.toFixed(2)} ×`, `target ≤ 3 × ${verdict}`);
  line("", `${Math.round(sums.bare)} : ${Math.round(sums.health)} requests/s`);
};

/** Warm requests end to end, against bare handlers behind the same gateway. */
export const benchRequests = async (access: LaunchedPlatform["access"], prepared: Prepared): Promise<void> => {
  const { organization, token, leadId, tokens } = prepared;
  const signed = (path: string, bearer = token): Target => ({
    url: `${access.url}${path}`,
    headers: { authorization: `Bearer ${bearer}` },
  });
  const bare = (path: string): Target => ({ url: `${access.url}/bench/${organization}/${path}` });

  const query = signed(`/v1/query?${new URLSearchParams({ q: QUERY, bypass_cache: "true" })}`);
  const queries = await comparePair(
    () => timedGet(query),
    () => timedGet(bare("query")),
    ROUNDS,
  );
  ratio("GET /v1/query, 100 rows ÷ bare handler", queries, 1.3);

  const record = signed(`/v1/object/lead/${leadId}`);
  const records = await comparePair(
    () => timedGet(record),
    () => timedGet(bare(`record/${leadId}`)),
    ROUNDS,
  );
  ratio("GET /v1/object/lead/{id} ÷ bare handler", records, 2);

  let turn = 0;
  const visit = (among: number) => (): Promise<number> => {
    turn += 1;
    return timedGet(signed(`/v1/object/lead/${leadId}`, tokens[turn % among]));
  };
  for (const bearer of tokens) await timedGet(signed(`/v1/object/lead/${leadId}`, bearer));
  const routing = await comparePair(visit(tokens.length), visit(10), 3_000);
  ratio("routing among 1,000 organizations ÷ among 10", routing, 1.1);

  await benchHealth(access.url);
};
