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
/**
 * Milliseconds that the vendor of each message takes, of both organizations. Twenty workers then handle 80 messages a
 * second. With a faster vendor the processors of this machine would be the limit, and not the queue.
 */
const WORK = Number(process.env.FAIRNESS_WORK ?? 250);
/** The default of a queue. */
const WORKERS = 20;
/** What a tenant's one message may take beside the backlog of another, as a multiple of the time on an empty queue. */
const MOST = 2;

/** Milliseconds from the commit of a message, and messages of the other tenant that began before it. Medians. */
interface Sample {
  readonly begun: number;
  readonly done: number;
  readonly overtook: number;
}

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
  const entries = platform.database.db(quiet).collection<{ _id: string }>("_outbox");
  const sample = async (): Promise<Sample> => {
    const key = randomUUID();
    const start = Date.now();
    const [id = ""] = await platform.commit(quiet, [{ key, ms: WORK }]);
    while ((await entries.findOne({ _id: id })) !== null) await setTimeout(5);
    const done = Date.now() - start;
    const run = await runs.findOne({ key });
    if (run === null) throw new Error("The message is gone, and was not handled.");
    const overtook = await others.countDocuments({ at: { $gt: new Date(start), $lt: run.at } });
    return { begun: run.at.getTime() - start, done, overtook };
  };
  const samples = async (): Promise<Sample> => {
    const all: Sample[] = [];
    for (let index = 0; index < SAMPLES; index += 1) all.push(await sample());
    const of = (name: keyof Sample): number => median(all.map((one) => one[name]));
    return { begun: of("begun"), done: of("done"), overtook: of("overtook") };
  };
  await samples();
  const empty = await samples();
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
  const [before = 0] = await platform.counts();
  const beside = await samples();
  const [after = 0] = await platform.counts();
  const times = ({ begun, done }: Sample): string => `${begun.toFixed(0)} · ${done.toFixed(0)} ms`;
  line("fairness: one message on an empty queue", times(empty), "accepted to begun · delivered");
  line(`fairness: beside ${before} to ${after} of another tenant`, times(beside), "by MessageGroupId");
  line("fairness: of these, handled before it", beside.overtook.toFixed(0), `${WORKERS} are handled at once`);
  const delivered = { first: beside.done, second: empty.done, ratio: beside.done / empty.done };
  ratio("fairness: beside a backlog and alone", delivered, MOST);
  await platform.database.close();
  await platform.stop();
};
