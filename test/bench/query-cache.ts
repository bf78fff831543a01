import { MongoClient } from "mongodb";
import { countedWrites } from "#shared/tenant/counted-writes";
import { firstCopy } from "../setup/first-copy.ts";
import type { LaunchedPlatform } from "../setup/launch-platform.ts";
import { comparePair, timedGet } from "./measure.ts";
import type { Prepared } from "./prepare.ts";
import { line, ratio } from "./print.ts";

const ROUNDS = 1_000;

/** A query that is slow in the database: a join and groups over all leads. */
const QUERIES = [
  ["100 rows", "SELECT id, name, status, amount FROM lead WHERE status = 'New' ORDER BY amount DESC LIMIT 100"],
  ["groups of 1,000 leads", "SELECT status, COUNT(*), SUM(amount) AS total FROM lead GROUP BY status"],
] as const;

/** A cached query against the same one from the database, and the cost of the write counters. */
export const benchQueryCache = async (access: LaunchedPlatform["access"], prepared: Prepared): Promise<void> => {
  const { organization, token } = prepared;
  for (const [what, q] of QUERIES) {
    const ask = (parameters: Record<string, string>) => () =>
      timedGet({
        url: `${access.url}/v1/query?${new URLSearchParams({ q, ...parameters })}`,
        headers: { authorization: `Bearer ${token}` },
      });
    const measured = await comparePair(ask({}), ask({ bypass_cache: "true" }), ROUNDS);
    ratio(`cache hit ÷ miss, ${what}`, measured, 1);
  }

  const mongo = await new MongoClient(access.mongoUri).connect();
  const counted = countedWrites(mongo, mongo.db(organization), firstCopy(organization));
  const plain = mongo.db(organization).collection("bench_write");
  const timed = async (work: () => Promise<unknown>): Promise<number> => {
    const start = performance.now();
    await work();
    return performance.now() - start;
  };
  const writes = await comparePair(
    () =>
      timed(() => counted.transaction((session) => counted.collection("bench_write").insertOne({ n: 1 }, { session }))),
    () =>
      timed(() =>
        mongo.withSession((session) => session.withTransaction(() => plain.insertOne({ n: 1 }, { session }))),
      ),
    ROUNDS,
  );
  line("a transaction that is counted ÷ one that is not", `${writes.ratio.toFixed(2)} ×`);
  line("", `${writes.first.toFixed(3)} : ${writes.second.toFixed(3)} ms`);
  await mongo.close();
};
