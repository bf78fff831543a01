import { randomUUID } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { launchEcho } from "../local/outbox/launch.ts";
import { httpClient } from "../setup/http-client.ts";
import { median } from "./measure.ts";
import { line } from "./print.ts";

const BACKLOG = 10_000;
const IN_ONE_TRANSACTION = 500;
const SAMPLES = 40;
/** Milliseconds that the work of each message takes. */
const WORK = 5;

const percentile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;

/**
 * Milliseconds from the commit of a message to the beginning of its work, alone and beside another organization's
 * 10,000 messages.
 */
export const benchQueues = async (directory: string): Promise<void> => {
  const platform = await launchEcho({ dataDir: directory });
  const http = httpClient(platform.access.url);
  const register = async (): Promise<string> => {
    const email = `${randomUUID()}@example.test`;
    const body = { organization_name: "Queues", email, password: "correct horse battery staple" };
    return (await http.post("/v1/register", { body, expect: 201 })).body.organization_id;
  };
  const runs = (organization: string) =>
    platform.database.db(organization).collection<{ key: string; at: Date }>("echo_run");

  const sample = async (organization: string): Promise<number> => {
    const key = randomUUID();
    const start = Date.now();
    await platform.commit(organization, [{ key }]);
    for (;;) {
      const run = await runs(organization).findOne({ key });
      if (run !== null) return run.at.getTime() - start;
      await setTimeout(5);
    }
  };
  const samples = async (organization: string): Promise<number[]> => {
    const values: number[] = [];
    for (let index = 0; index < SAMPLES; index += 1) values.push(await sample(organization));
    return values;
  };
  const show = (what: string, values: readonly number[]): void =>
    line(what, `${median(values).toFixed(0)} ms`, `p95 ${percentile(values, 0.95).toFixed(0)} ms, commit to work`);

  const [loud, quiet] = await Promise.all([register(), register()]);
  await samples(quiet);
  const alone = await samples(quiet);
  show("queue: one message, nothing else waits", alone);
  for (let sent = 0; sent < BACKLOG; sent += IN_ONE_TRANSACTION) {
    await platform.commit(
      loud,
      Array.from({ length: IN_ONE_TRANSACTION }, () => ({ key: "loud", ms: WORK })),
    );
  }
  const start = performance.now();
  const before = await runs(loud).countDocuments();
  const [waiting = 0] = await platform.counts();
  const beside = await samples(quiet);
  const [left = 0] = await platform.counts();
  const rate = ((await runs(loud).countDocuments()) - before) / ((performance.now() - start) / 1000);
  show(`queue: one message beside ${waiting} to ${left} of another organization`, beside);
  line("queue: messages handled", `${rate.toFixed(0)} /s`, `${WORK} ms of work each`);
  await platform.database.close();
  await platform.stop();
};
