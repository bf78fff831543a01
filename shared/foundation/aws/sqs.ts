import type { SQSClient } from "@aws-sdk/client-sqs";
import { env } from "../env.ts";
import { inTime } from "./in-time.ts";

/** Longer than SQS usually takes to answer. */
const PATIENCE_MS = 3_000;
/** The maximum of messages in one request. */
const BATCH = 10;

export interface OutgoingMessage {
  /** Unique within a call. */
  readonly id: string;
  readonly body: string;
  /** Whose message it is. A group with many messages does not delay those of others. */
  readonly group: string;
  /** At most 900. */
  readonly delaySeconds?: number;
}

let client: Promise<SQSClient> | undefined;

/** Loaded when it is needed, because few requests need it. The URL of a queue only names it. */
const open = (): Promise<SQSClient> => {
  client ??= import("@aws-sdk/client-sqs").then(({ SQSClient }) => new SQSClient({ useQueueUrlAsEndpoint: false }));
  return client;
};

const batchesOf = <T>(all: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(all.length / BATCH) }, (_, index) => all.slice(index * BATCH, (index + 1) * BATCH));

/** Sends messages, which SQS delivers at least once and in any order. Gives the ids of those that it has accepted. */
export const sendMessages = async (queue: string, messages: readonly OutgoingMessage[]): Promise<string[]> => {
  const [{ SendMessageBatchCommand }, sqs] = await Promise.all([import("@aws-sdk/client-sqs"), open()]);
  const accepted: string[] = [];
  for (const batch of batchesOf(messages)) {
    const command = new SendMessageBatchCommand({
      QueueUrl: env.queueUrl(queue),
      Entries: batch.map(({ body, group, delaySeconds }, index) => ({
        Id: String(index),
        MessageBody: body,
        MessageGroupId: group,
        ...(delaySeconds === undefined ? {} : { DelaySeconds: delaySeconds }),
      })),
    });
    const { Successful = [] } = await inTime(PATIENCE_MS, (abortSignal) => sqs.send(command, { abortSignal }));
    for (const { Id } of Successful) {
      const sent = batch[Number(Id)];
      if (sent !== undefined) accepted.push(sent.id);
    }
  }
  return accepted;
};

/** Lets SQS deliver a message that was received again after so many seconds. */
export const deliverAgainIn = async (queue: string, receiptHandle: string, seconds: number): Promise<void> => {
  const [{ ChangeMessageVisibilityCommand }, sqs] = await Promise.all([import("@aws-sdk/client-sqs"), open()]);
  const command = new ChangeMessageVisibilityCommand({
    QueueUrl: env.queueUrl(queue),
    ReceiptHandle: receiptHandle,
    VisibilityTimeout: seconds,
  });
  await inTime(PATIENCE_MS, (abortSignal) => sqs.send(command, { abortSignal }));
};

interface QueueCounts {
  readonly waiting: number;
  readonly delayed: number;
  readonly in_flight: number;
}

/** About how many messages a queue has. */
export const countMessages = async (QueueUrl: string): Promise<QueueCounts> => {
  const [{ GetQueueAttributesCommand }, sqs] = await Promise.all([import("@aws-sdk/client-sqs"), open()]);
  const command = new GetQueueAttributesCommand({
    QueueUrl,
    AttributeNames: [
      "ApproximateNumberOfMessages",
      "ApproximateNumberOfMessagesDelayed",
      "ApproximateNumberOfMessagesNotVisible",
    ],
  });
  const { Attributes = {} } = await inTime(PATIENCE_MS, (abortSignal) => sqs.send(command, { abortSignal }));
  return {
    waiting: Number(Attributes.ApproximateNumberOfMessages ?? 0),
    delayed: Number(Attributes.ApproximateNumberOfMessagesDelayed ?? 0),
    in_flight: Number(Attributes.ApproximateNumberOfMessagesNotVisible ?? 0),
  };
};

interface MoveTask {
  readonly status: string;
  readonly started_at: string;
  readonly moved: number;
  readonly to_move: number;
  readonly failure?: string;
}

/** The last task that moved the messages of a dead-letter queue; null if SQS knows of none. */
export const lastMoveTask = async (SourceArn: string): Promise<MoveTask | null> => {
  const [{ ListMessageMoveTasksCommand }, sqs] = await Promise.all([import("@aws-sdk/client-sqs"), open()]);
  const command = new ListMessageMoveTasksCommand({ SourceArn, MaxResults: 1 });
  const { Results: [last] = [] } = await inTime(PATIENCE_MS, (abortSignal) => sqs.send(command, { abortSignal }));
  if (last === undefined) return null;
  return {
    status: last.Status ?? "UNKNOWN",
    started_at: new Date(last.StartedTimestamp ?? 0).toISOString(),
    moved: last.ApproximateNumberOfMessagesMoved ?? 0,
    to_move: last.ApproximateNumberOfMessagesToMove ?? 0,
    ...(last.FailureReason !== undefined && { failure: last.FailureReason }),
  };
};

/** Lets SQS move the messages of a dead-letter queue back to where they came from. */
export const moveBack = async (SourceArn: string, perSecond: number | undefined): Promise<void> => {
  const [{ StartMessageMoveTaskCommand }, sqs] = await Promise.all([import("@aws-sdk/client-sqs"), open()]);
  const rate = perSecond === undefined ? {} : { MaxNumberOfMessagesPerSecond: perSecond };
  const command = new StartMessageMoveTaskCommand({ SourceArn, ...rate });
  await inTime(PATIENCE_MS, (abortSignal) => sqs.send(command, { abortSignal }));
};
