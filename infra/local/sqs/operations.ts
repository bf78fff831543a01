import type * as z from "zod";
import { principalArn } from "../iam/principal.ts";
import { type SdkCall, ServiceError } from "../sdk/call.ts";
import { jsonEndpoint, operation } from "../sdk/json-endpoint.ts";
import type { SdkEndpoint } from "../service.ts";
import { queueAttributes } from "./attributes.ts";
import { type Delivery, md5, md5OfAttributes } from "./message.ts";
import type { MoveTasks } from "./move-tasks.ts";
import type { Queue } from "./queue.ts";
import * as requests from "./requests.ts";

/** Of all messages of a request, in bytes. */
const LARGEST_BATCH = 1_048_576;
const MOST_IN_FLIGHT = 120_000;

interface Options {
  /** By ARN. */
  readonly queues: ReadonlyMap<string, Queue>;
  readonly moves: MoveTasks;
  /** Throws AccessDeniedException unless the caller may do it, and no policy of the queue denies it. */
  readonly authorize: (call: SdkCall, action: string, queueArn: string) => void;
}

const noQueue = (): ServiceError => new ServiceError("QueueDoesNotExist", "The specified queue does not exist.");

/** The account and the name at the end of a URL. The host does not matter. */
const nameIn = (url: string): string => url.split("/").at(-1) ?? "";

/** One entry of a batch: its own result or its own error. */
const each = <E extends { Id: string }>(entries: readonly E[], run: (entry: E) => object) => {
  requests.requireBatch(entries);
  const Successful: object[] = [];
  const Failed: object[] = [];
  for (const entry of entries) {
    try {
      Successful.push({ Id: entry.Id, ...run(entry) });
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      Failed.push({ Id: entry.Id, Code: error.code, Message: error.message, SenderFault: true });
    }
  }
  return { Successful, Failed };
};

const wants = (asked: readonly string[], name: string): boolean =>
  asked.some(
    (one) => one === name || one === "All" || one === ".*" || (one.endsWith(".*") && name.startsWith(one.slice(0, -2))),
  );

type ReceiveRequest = z.output<typeof requests.receiveMessage>;

/** The attributes that SQS adds to a message. */
export const systemAttributes = ({ message }: Delivery): Record<string, string> => ({
  ApproximateReceiveCount: String(message.receives),
  SentTimestamp: String(message.sentAt),
  SenderId: message.sender,
  ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt ?? 0),
  ...(message.group !== undefined && { MessageGroupId: message.group }),
  ...(message.trace !== undefined && { AWSTraceHeader: message.trace }),
  ...(message.deadLetterSource !== undefined && { DeadLetterQueueSourceArn: message.deadLetterSource }),
});

const received = (delivery: Delivery, asked: ReceiveRequest) => {
  const { message, receiptHandle } = delivery;
  const names = [...asked.AttributeNames, ...asked.MessageSystemAttributeNames];
  const system = Object.entries(systemAttributes(delivery)).filter(([name]) => wants(names, name));
  const own = Object.entries(message.attributes).filter(([name]) => wants(asked.MessageAttributeNames, name));
  return {
    MessageId: message.id,
    ReceiptHandle: receiptHandle,
    MD5OfBody: md5(message.body),
    Body: message.body,
    ...(system.length > 0 && { Attributes: Object.fromEntries(system) }),
    ...(own.length > 0 && {
      MessageAttributes: Object.fromEntries(own),
      MD5OfMessageAttributes: md5OfAttributes(Object.fromEntries(own)),
    }),
  };
};

/** The API, https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_Operations.html */
export const sqsEndpoint = ({ queues, moves, authorize }: Options): SdkEndpoint => {
  const byName = (name: string): Queue | undefined =>
    [...queues.values()].find((queue) => queue.settings.name === name);

  /** The queue of a request, if the caller may do this to it. One that does not exist is told to nobody else. */
  const queueFor = (call: SdkCall, action: string, url: string): Queue => {
    const found = byName(nameIn(url));
    if (found === undefined) throw noQueue();
    authorize(call, action, found.settings.arn);
    return found;
  };
  const queueOfArn = (call: SdkCall, action: string, arn: string): Queue => {
    authorize(call, action, arn);
    const found = queues.get(arn);
    if (found === undefined) throw new ServiceError("ResourceNotFoundException", "The resource does not exist.", 404);
    return found;
  };
  const sources = (deadLetters: Queue): Queue[] =>
    [...queues.values()].filter(({ settings }) => settings.redrive?.deadLetterArn === deadLetters.settings.arn);

  const send = (call: SdkCall, queue: Queue, content: requests.SendContent) => {
    const { message, size } = requests.newMessage(content, principalArn(call.caller), queue.settings.largestMessage);
    return {
      size,
      add: () => {
        const { id, body, attributes } = queue.send(message, content.DelaySeconds);
        const digest = md5OfAttributes(attributes);
        return {
          MessageId: id,
          MD5OfMessageBody: md5(body),
          ...(digest !== undefined && { MD5OfMessageAttributes: digest }),
        };
      },
    };
  };
  const remove = (queue: Queue, handle: string): object => {
    if (queue.delete(handle)) return {};
    throw new ServiceError("ReceiptHandleIsInvalid", "The input receipt handle is invalid.");
  };
  const change = (queue: Queue, handle: string, seconds: number): object => {
    if (seconds < 0 || seconds > requests.LONGEST_VISIBILITY) {
      throw new ServiceError(
        "InvalidParameterValue",
        `VisibilityTimeout must be between 0 and ${requests.LONGEST_VISIBILITY}.`,
      );
    }
    const changed = queue.changeVisibility(handle, seconds);
    if (changed === "invalid") throw new ServiceError("ReceiptHandleIsInvalid", "The input receipt handle is invalid.");
    if (changed === "missing")
      throw new ServiceError("MessageNotInflight", "The message referred to is not in flight.");
    return {};
  };
  const receive = async (asked: ReceiveRequest, call: SdkCall) => {
    const queue = queueFor(call, "ReceiveMessage", asked.QueueUrl);
    const { visibility, waitTime } = queue.settings;
    if (queue.counts().inFlight >= MOST_IN_FLIGHT) throw new ServiceError("OverLimit", "Too many messages in flight.");
    const options = {
      most: asked.MaxNumberOfMessages,
      visibility: asked.VisibilityTimeout ?? visibility,
      mapped: false,
    };
    let deliveries = queue.receive(options);
    if (deliveries.length === 0) {
      await queue.arrival((asked.WaitTimeSeconds ?? waitTime) * 1000);
      deliveries = queue.receive(options);
    }
    return deliveries.length === 0 ? {} : { Messages: deliveries.map((one) => received(one, asked)) };
  };

  const operations = {
    SendMessage: operation(requests.sendMessage, ({ QueueUrl, ...content }, call) =>
      send(call, queueFor(call, "SendMessage", QueueUrl), content).add(),
    ),
    SendMessageBatch: operation(requests.sendMessageBatch, ({ QueueUrl, Entries }, call) => {
      const queue = queueFor(call, "SendMessage", QueueUrl);
      const size = Entries.reduce((sum, { MessageBody }) => sum + Buffer.byteLength(MessageBody), 0);
      if (size > LARGEST_BATCH) {
        throw new ServiceError("BatchRequestTooLong", `Batch requests cannot be longer than ${LARGEST_BATCH} bytes.`);
      }
      return each(Entries, ({ Id: _, ...content }) => send(call, queue, content).add());
    }),
    ReceiveMessage: operation(requests.receiveMessage, receive),
    DeleteMessage: operation(requests.deleteMessage, ({ QueueUrl, ReceiptHandle }, call) =>
      remove(queueFor(call, "DeleteMessage", QueueUrl), ReceiptHandle),
    ),
    DeleteMessageBatch: operation(requests.deleteMessageBatch, ({ QueueUrl, Entries }, call) => {
      const queue = queueFor(call, "DeleteMessage", QueueUrl);
      return each(Entries, ({ ReceiptHandle }) => remove(queue, ReceiptHandle));
    }),
    ChangeMessageVisibility: operation(
      requests.changeVisibility,
      ({ QueueUrl, ReceiptHandle, VisibilityTimeout }, call) =>
        change(queueFor(call, "ChangeMessageVisibility", QueueUrl), ReceiptHandle, VisibilityTimeout),
    ),
    ChangeMessageVisibilityBatch: operation(requests.changeVisibilityBatch, ({ QueueUrl, Entries }, call) => {
      const queue = queueFor(call, "ChangeMessageVisibility", QueueUrl);
      return each(Entries, ({ ReceiptHandle, VisibilityTimeout }) => change(queue, ReceiptHandle, VisibilityTimeout));
    }),
    GetQueueUrl: operation(requests.getQueueUrl, ({ QueueName }, call) => ({
      QueueUrl: queueFor(call, "GetQueueUrl", QueueName).settings.url,
    })),
    GetQueueAttributes: operation(requests.getQueueAttributes, ({ QueueUrl, AttributeNames }, call) => {
      const all = queueAttributes(queueFor(call, "GetQueueAttributes", QueueUrl));
      const unknown = AttributeNames.find((name) => name !== "All" && !Object.hasOwn(all, name));
      if (unknown !== undefined) throw new ServiceError("InvalidAttributeName", `Unknown Attribute ${unknown}.`);
      const asked = Object.entries(all).filter(([name]) => wants(AttributeNames, name));
      return { Attributes: Object.fromEntries(asked.filter(([, value]) => value !== undefined)) };
    }),
    PurgeQueue: operation(requests.purgeQueue, ({ QueueUrl }, call) => {
      queueFor(call, "PurgeQueue", QueueUrl).purge();
      return {};
    }),
    ListQueues: operation(requests.listQueues, ({ QueueNamePrefix, ...which }, call) => {
      call.authorize("sqs:ListQueues", "*");
      const all = [...queues.values()].map(({ settings }) => settings);
      return pageOf(
        "QueueUrls",
        all.filter(({ name }) => name.startsWith(QueueNamePrefix)).map(({ url }) => url),
        which,
      );
    }),
    ListDeadLetterSourceQueues: operation(requests.listSources, ({ QueueUrl, ...which }, call) => {
      const found = sources(queueFor(call, "ListDeadLetterSourceQueues", QueueUrl));
      return pageOf(
        "queueUrls",
        found.map(({ settings }) => settings.url),
        which,
      );
    }),
    StartMessageMoveTask: operation(
      requests.startMove,
      ({ SourceArn, DestinationArn, MaxNumberOfMessagesPerSecond }, call) => {
        const source = queueOfArn(call, "StartMessageMoveTask", SourceArn);
        if (sources(source).length === 0) {
          throw new ServiceError("InvalidParameterValue", "Source queue must be configured as a Dead Letter Queue.");
        }
        // AWS receives, deletes and sends in the name of the caller.
        for (const action of ["ReceiveMessage", "DeleteMessage"]) authorize(call, action, SourceArn);
        const targets =
          DestinationArn === undefined ? sources(source).map(({ settings }) => settings.arn) : [DestinationArn];
        for (const target of targets) queueOfArn(call, "SendMessage", target);
        const destination = DestinationArn === undefined ? undefined : queues.get(DestinationArn);
        return { TaskHandle: moves.start(source, destination, MaxNumberOfMessagesPerSecond) };
      },
    ),
    CancelMessageMoveTask: operation(requests.cancelMove, ({ TaskHandle }, call) => {
      const [source = ""] = Buffer.from(TaskHandle, "base64").toString("utf8").split(" ");
      queueOfArn(call, "CancelMessageMoveTask", source);
      return { ApproximateNumberOfMessagesMoved: moves.cancel(TaskHandle) };
    }),
    ListMessageMoveTasks: operation(requests.listMoves, ({ SourceArn, MaxResults }, call) => {
      const tasks = moves.list(queueOfArn(call, "ListMessageMoveTasks", SourceArn)).slice(0, MaxResults);
      return {
        Results: tasks.map((task) => ({
          ...(task.status === "RUNNING" && { TaskHandle: task.handle }),
          Status: task.status,
          SourceArn,
          ...(task.destination !== undefined && { DestinationArn: task.destination.settings.arn }),
          ...(task.perSecond !== undefined && { MaxNumberOfMessagesPerSecond: task.perSecond }),
          ApproximateNumberOfMessagesMoved: task.moved,
          ApproximateNumberOfMessagesToMove: task.toMove,
          ...(task.failure !== undefined && { FailureReason: task.failure }),
          StartedTimestamp: task.startedAt,
        })),
      };
    }),
  };
  return jsonEndpoint("sqs", operations, "1.0");
};

/** A page of a list. The token is the position of the next one. */
const pageOf = (
  name: string,
  all: readonly string[],
  { MaxResults, NextToken = "0" }: { MaxResults?: number | undefined; NextToken?: string | undefined },
) => {
  const from = Number(NextToken);
  const to = from + (MaxResults ?? 1000);
  return { [name]: all.slice(from, to), ...(to < all.length && { NextToken: String(to) }) };
};
