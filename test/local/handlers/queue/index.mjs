// Handles messages as their bodies say, and writes the records of each call to the file in its variables.
import { appendFileSync, existsSync } from "node:fs";
import { setTimeout } from "node:timers/promises";

export const handler = async ({ Records }) => {
  const lines = Records.map((record) => JSON.stringify(record));
  if (process.env.CALLS) appendFileSync(process.env.CALLS, `[${lines.join(",")}]\n`);
  const batchItemFailures = [];
  for (const { messageId, body } of Records) {
    const { until, fail, crash, answer } = JSON.parse(body);
    while (until !== undefined && !existsSync(until)) await setTimeout(5);
    if (crash) throw new Error("as asked");
    if (answer !== undefined) return answer;
    if (fail) batchItemFailures.push({ itemIdentifier: messageId });
  }
  return { batchItemFailures };
};
