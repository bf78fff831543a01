import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import type * as z from "zod";
import type { MessageContract } from "#contracts/queue";
import { elapsedMillis } from "#shared/foundation/clock";
import { log } from "#shared/foundation/log";
import { delayAfter, retryIn } from "./retry.ts";

interface Received<P> {
  readonly payload: P;
  /** The payload as it was sent. */
  readonly text: string;
}

/**
 * Makes a Lambda for a queue to which another service of AWS sends. There is no outbox entry, so the work must stand
 * repetition. After any error SQS delivers the message again, in the end to the dead-letter queue; at once if it is not
 * of the contract's form, because only another release can read it.
 */
export const receive =
  <P extends z.ZodType<object>>({ queue, payload: schema }: MessageContract & { readonly payload: P; scope: "aws" }) =>
  (work: (message: Received<z.output<P>>) => Promise<void>) => {
    const handle = async (record: SQSRecord, request_id: string | undefined): Promise<boolean> => {
      const start = elapsedMillis();
      const facts = { queue, message_id: record.messageId, request_id };
      let isReadable = false;
      try {
        const payload = schema.parse(JSON.parse(record.body));
        isReadable = true;
        await work({ payload, text: record.body });
        log.info({ ...facts, ms: Math.round(elapsedMillis() - start) }, "message");
        return true;
      } catch (error) {
        log.error({ ...facts, err: error }, "message");
        await retryIn(queue, record, isReadable ? delayAfter(record) : 0);
        return false;
      }
    };
    return async (event: SQSEvent, context?: Context): Promise<SQSBatchResponse> => {
      const batchItemFailures: { itemIdentifier: string }[] = [];
      for (const record of event.Records) {
        const isDone = await handle(record, context?.awsRequestId);
        if (!isDone) batchItemFailures.push({ itemIdentifier: record.messageId });
      }
      return { batchItemFailures };
    };
  };
