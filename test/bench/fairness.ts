import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { launchEcho } from "../local/outbox/launch.ts";
import { httpClient } from "../setup/http-client.ts";
import { median } from "./measure.ts";
import { line, ratio } from "./print.ts";

/** `FAIRNESS_MESSAGES=10000` makes it shorter. */
const BACKLOG = Number(process.env.FAIRNESS_MESSAGES ?? 100_000);
const IN_ONE_TRANSACTION = 500;
const TRANSACTIONS_AT_ONCE = 4;
const SAMPLES = 40;
/** Milliseconds that each message waits for its vendor. With less, the processors of this machine would be the limit. */
const WORK = 100;
/** The default of a queue. */
const WORKERS = 20;
/** What a tenant's one message may take beside the backlog of another, as a multiple of the time on an empty queue. */
const MOST = 2;

/**
 * What one tenant's single message waits beside another tenant's 100,000. The mechanism is the queue's: each message has its
 * organization as `MessageGroupId`, and SQS (here infra/local/sqs, which counts the messages in flight of each group) gives
 * consumers those of quiet groups first.
 */
export const benchFairness = async (directory: string): Promise<void> => {
  const platform = await launchEcho({ dataDir: directory, settings: { mostConcurrent: WORKERS } });
  const http = httpClient(platform.access.url);
  const register = async (): Promise<string> => {
    const email = `${randomUUID()}@example.test`;
    const body = { organization_name: "Fair", email, password: "correct horse battery staple" };
    return (await http.post("/v1/register", { body, expect: 201 })).body.organization_id;
  };
  const [loud, quiet] = await Promise.all([register(), register()]);
  const runs = platform.database.db(quiet).collection<{ key: string; at: Date }>("echo_run");
  const others = platform.database.db(loud).collection<{ at: Date }>("echo_run");
  /** Messages of the other tenant that began between each commit and the work of its message. */
  let overtook: number[] = [];
  const sample = async (): Promise<number> => {
    const key = randomUUID();
    const start = Date.now();
    await platform.commit(quiet, [{ key }]);
    for (;;) {
      const run = await runs.findOne({ key });
      if (run !== null) {
        overtook.push(await others.countDocuments({ at: { $gt: new Date(start), $lt: run.at } }));
        return run.at.getTime() - start;
      }
      await setTimeout(5);
    }
  };
  const samples = async (): Promise<number[]> => {
    const values: number[] = [];
    for (let index = 0; index < SAMPLES; index += 1) values.push(await sample());
    return values;
  };
  await samples();
  const empty = median(await samples());
  const batch = Array.from({ length: IN_ONE_TRANSACTION }, () => ({ key: "loud", ms: WORK }));
  let left = BACKLOG / IN_ONE_TRANSACTION;
  const fill = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await platform.commit(loud, batch);
    }
  };
  await Promise.all(Array.from({ length: TRANSACTIONS_AT_ONCE }, fill));
  await samples();
  overtook = [];
  const [before = 0] = await platform.counts();
  const beside = median(await samples());
  const [after = 0] = await platform.counts();
  line("fairness: one message on an empty queue", `${empty.toFixed(0)} ms`, "commit to work");
  line(`fairness: beside ${before} to ${after} of another tenant`, `${beside.toFixed(0)} ms`, "by MessageGroupId");
  line("fairness: of these, handled before it", `${median(overtook).toFixed(0)}`, `${WORKERS} are handled at once`);
  ratio("fairness: beside a backlog and alone", { first: beside, second: empty, ratio: beside / empty }, MOST);
  await platform.database.close();
  await platform.stop();
};
