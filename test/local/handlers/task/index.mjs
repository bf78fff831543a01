// A task that does what its event says, and writes each call to the file in its variables.
import { appendFileSync, existsSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

export const handler = async ({
  id,
  fail,
  attempt = 0,
  times = Number.POSITIVE_INFINITY,
  ms = 0,
  until,
  result,
  size,
}) => {
  if (process.env.CALLS) appendFileSync(process.env.CALLS, `${id}\n`);
  await setTimeout(ms);
  while (until !== undefined && !existsSync(until)) await setTimeout(5);
  if (fail !== undefined && attempt < times) throw Object.assign(new Error("as asked"), { name: fail });
  return size === undefined ? result : "x".repeat(size);
};
