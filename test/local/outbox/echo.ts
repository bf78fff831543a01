import { setTimeout } from "node:timers/promises";
import { Fault } from "#shared/foundation/faults";
import { consume } from "#shared/lambda/queue/consume";
import { echo } from "./contract.ts";

export const handler = consume(echo)(async ({ id, attempt, payload, database }) => {
  const { key, ms, fail, times } = payload;
  await database.collection("echo_run").insertOne({ key, entry: id, attempt, at: new Date() });
  await setTimeout(ms);
  if (fail === undefined || attempt > times) return;
  if (fail === "exit") process.exit(1);
  if (fail === "error") throw new Error("as asked");
  throw new Fault(fail as "internal_error");
});
