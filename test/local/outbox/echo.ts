import { setTimeout } from "node:timers/promises";
import type { ClientSession } from "mongodb";
import { Fault } from "#shared/foundation/faults";
import { consume } from "#shared/lambda/queue/consume";
import { echo } from "./contract.ts";

export const handler = consume(echo)(async ({ id, attempt, payload, database, onceIn }) => {
  const { key, ms, fail, begins, times } = payload;
  const runs = database.collection("echo_run");
  const run = { key, entry: id, attempt, at: new Date() };
  const begin = async () => async (session: ClientSession) => {
    await runs.insertOne(run, { session });
    return { ids: [id], value: undefined };
  };
  if (begins) await onceIn(database).write(begin, async () => undefined);
  else await runs.insertOne(run);
  await setTimeout(ms);
  if (fail === undefined || attempt > times) return;
  if (fail === "exit") process.exit(1);
  if (fail === "error") throw new Error("as asked");
  throw new Fault(fail as "internal_error");
});
