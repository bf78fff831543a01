import * as z from "zod";
import { ServiceError } from "../sdk/call.ts";
import { type MessageAttribute, messageAttribute, type NewMessage, sizeOf } from "./message.ts";

const ofQueue = { QueueUrl: z.string() };
const seconds = (most: number) => z.number().int().min(0).max(most);
export const LONGEST_VISIBILITY = 43_200;
const LONGEST_DELAY = 900;

/** Attributes as the SDK sends them; lists of values are not implemented in SQS either. */
const attributes = z
  .record(z.string(), z.looseObject({ ...messageAttribute.shape, StringListValues: z.unknown().optional() }))
  .nullish();

/** FIFO queues do not exist here, so that their parameters are errors, as they are for standard queues. */
const content = {
  MessageBody: z.string(),
  DelaySeconds: seconds(LONGEST_DELAY).optional(),
  MessageAttributes: attributes,
  MessageSystemAttributes: z.strictObject({ AWSTraceHeader: messageAttribute }).partial().nullish(),
  MessageGroupId: z
    .string()
    .regex(/^[\w!"#$%&'()*+,\-./:;<=>?@[\\\]^`{|}~]{1,128}$/)
    .optional(),
};
const id = z.string();

export const sendMessage = z.strictObject({ ...ofQueue, ...content });
export type SendContent = Omit<z.output<typeof sendMessage>, "QueueUrl">;
export const sendMessageBatch = z.strictObject({
  ...ofQueue,
  Entries: z.array(z.strictObject({ Id: id, ...content, DelaySeconds: z.number().int().optional() })),
});
export const receiveMessage = z.strictObject({
  ...ofQueue,
  MaxNumberOfMessages: z.number().int().min(1).max(10).default(1),
  VisibilityTimeout: seconds(LONGEST_VISIBILITY).optional(),
  WaitTimeSeconds: seconds(20).optional(),
  AttributeNames: z.array(z.string()).default([]),
  MessageSystemAttributeNames: z.array(z.string()).default([]),
  MessageAttributeNames: z.array(z.string()).default([]),
});
export const deleteMessage = z.strictObject({ ...ofQueue, ReceiptHandle: z.string() });
export const deleteMessageBatch = z.strictObject({
  ...ofQueue,
  Entries: z.array(z.strictObject({ Id: id, ReceiptHandle: z.string() })),
});
export const changeVisibility = z.strictObject({
  ...ofQueue,
  ReceiptHandle: z.string(),
  VisibilityTimeout: seconds(LONGEST_VISIBILITY),
});
export const changeVisibilityBatch = z.strictObject({
  ...ofQueue,
  Entries: z.array(z.strictObject({ Id: id, ReceiptHandle: z.string(), VisibilityTimeout: z.number().int() })),
});
export const getQueueUrl = z.strictObject({ QueueName: z.string(), QueueOwnerAWSAccountId: z.string().optional() });
export const getQueueAttributes = z.strictObject({ ...ofQueue, AttributeNames: z.array(z.string()).default([]) });
export const purgeQueue = z.strictObject(ofQueue);
const page = { MaxResults: z.number().int().min(1).max(1000).optional(), NextToken: z.string().optional() };
export const listQueues = z.strictObject({ QueueNamePrefix: z.string().default(""), ...page });
export const listSources = z.strictObject({ ...ofQueue, ...page });
export const startMove = z.strictObject({
  SourceArn: z.string(),
  DestinationArn: z.string().optional(),
  MaxNumberOfMessagesPerSecond: z.number().int().min(1).max(500).optional(),
});
export const cancelMove = z.strictObject({ TaskHandle: z.string() });
export const listMoves = z.strictObject({
  SourceArn: z.string(),
  MaxResults: z.number().int().min(1).max(10).default(1),
});

/** Characters that XML allows, which SQS requires. */
const VALID = /^[\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]*$/u;
const ATTRIBUTE_NAME = /^(?!\.)(?!.*\.\.)(?!.*\.$)(?!aws\.|amazon\.)[\w.-]{1,256}$/i;
const ATTRIBUTE_TYPE = /^(?:String|Number|Binary)(?:\..+)?$/;

const invalid = (message: string): ServiceError => new ServiceError("InvalidParameterValue", message);

const requireAttributes = (all: Readonly<Record<string, MessageAttribute>>): void => {
  if (Object.keys(all).length > 10) {
    throw invalid(`Number of message attributes [${Object.keys(all).length}] exceeds the allowed maximum [10].`);
  }
  for (const [name, { DataType, StringValue, BinaryValue }] of Object.entries(all)) {
    if (!ATTRIBUTE_NAME.test(name)) throw invalid(`The message attribute name '${name}' is invalid.`);
    if (!ATTRIBUTE_TYPE.test(DataType)) throw invalid(`The type of message attribute '${name}' is invalid.`);
    const value = DataType.startsWith("Binary") ? BinaryValue : StringValue;
    if (value === undefined || value === "") throw invalid(`The message attribute '${name}' must contain a value.`);
    if (!VALID.test(StringValue ?? "")) throw new ServiceError("InvalidMessageContents", "Invalid characters found.");
    if (DataType.startsWith("Number") && !/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(StringValue ?? "")) {
      throw invalid(`Can't cast the value of message attribute '${name}' to a number.`);
    }
  }
};

/** The message of a request, and its size in bytes. @throws ServiceError for one that SQS refuses */
export const newMessage = (
  { MessageBody, MessageAttributes, MessageSystemAttributes, MessageGroupId, DelaySeconds = 0 }: SendContent,
  sender: string,
  largest: number,
): { message: NewMessage; size: number } => {
  if (MessageBody === "")
    throw new ServiceError("MissingParameter", "The request must contain the parameter MessageBody.");
  if (!VALID.test(MessageBody)) throw new ServiceError("InvalidMessageContents", "Invalid characters found.");
  if (DelaySeconds < 0 || DelaySeconds > LONGEST_DELAY) {
    throw invalid(
      `Value ${DelaySeconds} for parameter DelaySeconds is invalid. Reason: DelaySeconds must be >= 0 and <= 900.`,
    );
  }
  const given = Object.entries(MessageAttributes ?? {}).map(([name, { StringListValues: _, ...rest }]) => [
    name,
    messageAttribute.parse({ DataType: rest.DataType, StringValue: rest.StringValue, BinaryValue: rest.BinaryValue }),
  ]);
  const attributesOf: Record<string, MessageAttribute> = Object.fromEntries(given);
  requireAttributes(attributesOf);
  const trace = MessageSystemAttributes?.AWSTraceHeader?.StringValue;
  const message = {
    body: MessageBody,
    attributes: attributesOf,
    sender,
    ...(MessageGroupId !== undefined && { group: MessageGroupId }),
    ...(trace !== undefined && { trace }),
  };
  const size = sizeOf(message);
  if (size > largest) {
    throw invalid(`One or more parameters are invalid. Reason: Message must be shorter than ${largest} bytes.`);
  }
  return { message, size };
};

/** @throws ServiceError unless there are 1 to 10 entries with different, valid ids */
export const requireBatch = (entries: readonly { Id: string }[]): void => {
  if (entries.length === 0)
    throw new ServiceError("EmptyBatchRequest", "There should be at least one entry in the request.");
  if (entries.length > 10) {
    throw new ServiceError(
      "TooManyEntriesInBatchRequest",
      `Maximum number of entries per request are 10. You have sent ${entries.length}.`,
    );
  }
  const malformed = entries.find((entry) => !/^[\w-]{1,80}$/.test(entry.Id));
  if (malformed !== undefined) {
    throw new ServiceError(
      "InvalidBatchEntryId",
      "A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.",
    );
  }
  const ids = entries.map((entry) => entry.Id);
  const twice = ids.find((one, index) => ids.indexOf(one) !== index);
  if (twice !== undefined) throw new ServiceError("BatchEntryIdsNotDistinct", `Id ${twice} repeated.`);
};
