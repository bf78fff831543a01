import { randomUUID } from "node:crypto";
import { account } from "../account.ts";
import type { Clock } from "../clock.ts";
import type { LambdaFunction } from "../lambda/service.ts";
import { type Delivery, type MessageAttribute, md5 } from "./message.ts";
import { systemAttributes } from "./operations.ts";
import type { Queue } from "./queue.ts";

/** Of a mapping without a maximum. AWS begins with five and adds more under load. */
const ORDINARY_CONCURRENCY = 5;
/** A mapping looks again after this time, also if it was not woken. */
const LONG_POLL = 20_000;
/** Milliseconds before a throttled function is tried again. */
const THROTTLE_DELAY = 1_000;
/** Lambda's limit for an event is 6 MB. */
const LARGEST_EVENT = 6 * 1024 * 1024;

export interface MappingSettings {
  readonly batchSize: number;
  /** Seconds. */
  readonly window: number;
  readonly reportsFailures: boolean;
  readonly mostConcurrent: number | undefined;
}

interface Options {
  readonly clock: Clock;
  readonly queue: Queue;
  readonly target: LambdaFunction;
  readonly settings: MappingSettings;
  readonly onDropped: (requestId: string, reason: string) => void;
}

const eventAttribute = ({ DataType, StringValue, BinaryValue }: MessageAttribute) => ({
  ...(StringValue !== undefined && { stringValue: StringValue }),
  ...(BinaryValue !== undefined && { binaryValue: BinaryValue }),
  stringListValues: [],
  binaryListValues: [],
  dataType: DataType,
});

/** https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html */
const recordOf = (delivery: Delivery, queueArn: string) => {
  const { message, receiptHandle } = delivery;
  const attributes = Object.entries(message.attributes).map(([name, one]) => [name, eventAttribute(one)]);
  return {
    messageId: message.id,
    receiptHandle,
    body: message.body,
    attributes: systemAttributes(delivery),
    messageAttributes: Object.fromEntries(attributes),
    md5OfBody: md5(message.body),
    eventSource: "aws:sqs",
    eventSourceARN: queueArn,
    awsRegion: account.region,
  };
};

/**
 * The message ids that a function reports as failed; undefined if the answer says that all are, as does an answer that
 * is not understood.
 * https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html#services-sqs-batchfailurereporting
 */
const failuresIn = (payload: string, deliveries: readonly Delivery[]): ReadonlySet<string> | undefined => {
  const answer: unknown = payload === "" ? null : JSON.parse(payload);
  if (answer === null) return new Set();
  if (typeof answer !== "object") return undefined;
  const failures: unknown = "batchItemFailures" in answer ? answer.batchItemFailures : null;
  if (failures === null || failures === undefined) return new Set();
  if (!Array.isArray(failures)) return undefined;
  const known = new Set(deliveries.map(({ message }) => message.id));
  const ids = failures.map((one: unknown) =>
    typeof one === "object" && one !== null && "itemIdentifier" in one ? one.itemIdentifier : undefined,
  );
  const isKnown = (id: unknown): id is string => typeof id === "string" && known.has(id);
  return ids.every(isKnown) ? new Set(ids) : undefined;
};

/** Polls a queue and invokes a function with batches of its messages, until it is stopped. */
export const eventSource = ({ clock, queue, target, settings, onDropped }: Options) => {
  const most = settings.mostConcurrent ?? ORDINARY_CONCURRENCY;
  const running = new Set<Promise<void>>();
  let stopped = false;

  const take = (count: number): Delivery[] => {
    const { visibility } = queue.settings;
    return queue.receive({ most: count, visibility, mapped: true });
  };

  /** A batch. With a window it is filled until the window or the event's size is used up. */
  const collect = async (): Promise<Delivery[]> => {
    const batch = take(settings.batchSize);
    const end = clock.now() + settings.window * 1000;
    const bytes = () => batch.reduce((sum, { message }) => sum + Buffer.byteLength(message.body), 0);
    while (batch.length > 0 && batch.length < settings.batchSize && clock.now() < end && !stopped) {
      if (bytes() > LARGEST_EVENT - 1024 * 1024) break;
      await queue.arrival(end - clock.now());
      batch.push(...take(settings.batchSize - batch.length));
    }
    return batch;
  };

  const invoke = async (batch: readonly Delivery[]): Promise<void> => {
    const requestId = randomUUID();
    const Records = batch.map((delivery) => recordOf(delivery, queue.settings.arn));
    const outcome = await target.invoke(requestId, JSON.stringify({ Records }));
    if (outcome === undefined) {
      // AWS lets them wait for the visibility timeout, and counts the delivery too.
      for (const { receiptHandle } of batch) queue.changeVisibility(receiptHandle, THROTTLE_DELAY / 1000);
      return;
    }
    const failed = outcome.failed
      ? undefined
      : settings.reportsFailures
        ? failuresIn(outcome.payload, batch)
        : new Set<string>();
    for (const { message, receiptHandle } of batch) {
      if (failed !== undefined && !failed.has(message.id)) queue.delete(receiptHandle);
    }
    if (failed === undefined) onDropped(requestId, `${batch.length} messages will be delivered again`);
  };

  const poll = async (): Promise<void> => {
    while (!stopped) {
      if (running.size >= most) {
        await Promise.race(running);
        continue;
      }
      if (queue.counts().visible === 0) {
        await queue.arrival(LONG_POLL);
        continue;
      }
      // The window is waited for by this loop alone, so that messages gather in one batch.
      const batch = await collect();
      if (batch.length === 0) continue;
      const work = invoke(batch).catch((error: unknown) => onDropped("", String(error)));
      running.add(work);
      void work.finally(() => running.delete(work));
    }
  };

  return {
    start: (): void => {
      poll().catch((error: unknown) => onDropped("", error instanceof Error ? error.message : String(error)));
    },
    /** Takes no more messages, and gives running ones so many milliseconds. */
    stop: async (patience: number): Promise<void> => {
      stopped = true;
      const late = new Promise((resolve) => setTimeout(resolve, patience).unref());
      await Promise.race([Promise.all(running), late]);
    },
  };
};

export type EventSource = ReturnType<typeof eventSource>;
