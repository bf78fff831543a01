import type { SQSRecord } from "aws-lambda";
import { deliverAgainIn } from "#shared/foundation/aws/sqs";
import { log } from "#shared/foundation/log";

/** Seconds before a failed attempt is repeated, the first one and the following ones. Then it is a dead letter. */
const RETRY_S = [10, 30, 90, 270];

export const delayAfter = ({ attributes }: SQSRecord): number =>
  RETRY_S[Number(attributes.ApproximateReceiveCount) - 1] ?? RETRY_S.at(-1) ?? 0;

/** Without it the message would come back after the visibility timeout of the queue, which is long. */
export const retryIn = async (queue: string, { receiptHandle }: SQSRecord, seconds: number): Promise<void> => {
  try {
    await deliverAgainIn(queue, receiptHandle, seconds);
  } catch (error) {
    log.warn({ queue, err: error }, "a message comes back later than it should");
  }
};
