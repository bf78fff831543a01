import type * as z from "zod";
import type { redrive } from "#contracts/operations";
import { queues } from "#contracts/queues";
import { countMessages, lastMoveTask, moveBack } from "#shared/foundation/aws/sqs";
import { env } from "#shared/foundation/env";
import { log } from "#shared/foundation/log";

type Input = z.output<typeof redrive.input>;
type Output = z.input<typeof redrive.output>;

/** What EventBridge Scheduler could not deliver. It comes from no queue, so that SQS cannot move it back. */
const SCHEDULES = "schedules";

const deadLettersOf = (queue: string): string => `${queue}-dead-letters`;

const stateOf = async (queue: string): Promise<Output["queues"][number]> => {
  const { arn, url } = env.queuePrefixes();
  const isQueue = queue !== SCHEDULES;
  const [own, dead, task] = await Promise.all([
    isQueue ? countMessages(`${url}${queue}`) : { waiting: 0, delayed: 0, in_flight: 0 },
    countMessages(`${url}${deadLettersOf(queue)}`),
    isQueue ? lastMoveTask(`${arn}${deadLettersOf(queue)}`) : null,
  ]);
  return { queue, ...own, dead: dead.waiting + dead.in_flight, redrive: task };
};

/** Counts the messages of all queues, and sends the dead letters of one back. */
export const redriveDeadLetters = async ({ queue, per_second }: Input): Promise<Output> => {
  let started = false;
  if (queue !== undefined) {
    const { dead, redrive: last } = await stateOf(queue);
    started = dead > 0 && last?.status !== "RUNNING";
    if (started) {
      await moveBack(`${env.queuePrefixes().arn}${deadLettersOf(queue)}`, per_second);
      log.info({ queue, dead }, "dead letters are sent back");
    }
  }
  return { started, queues: await Promise.all([...queues.map((one) => one.queue), SCHEDULES].map(stateOf)) };
};
