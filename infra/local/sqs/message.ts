import { createHash } from "node:crypto";
import * as z from "zod";

export const messageAttribute = z.strictObject({
  DataType: z.string(),
  StringValue: z.string().optional(),
  /** Base64. */
  BinaryValue: z.string().optional(),
});
export type MessageAttribute = z.output<typeof messageAttribute>;

/** What the journal keeps of a message. Times in milliseconds since the epoch. */
export const storedMessage = z.strictObject({
  id: z.string(),
  body: z.string(),
  attributes: z.record(z.string(), messageAttribute),
  group: z.string().optional(),
  trace: z.string().optional(),
  sender: z.string(),
  sentAt: z.number(),
  /** Delayed or in flight until then. */
  visibleAt: z.number(),
  receives: z.number(),
  firstReceivedAt: z.number().optional(),
  /** Whether an event source mapping has received it last, which ends with the platform. */
  mapped: z.boolean().optional(),
  /** The ARN of the queue that it was moved from. */
  deadLetterSource: z.string().optional(),
});
export type StoredMessage = z.output<typeof storedMessage>;

export type NewMessage = Pick<StoredMessage, "body" | "attributes" | "group" | "trace" | "sender">;

/** One delivery of a message. The handle belongs to it alone. */
export interface Delivery {
  readonly message: StoredMessage;
  readonly receiptHandle: string;
}

export const receiptHandle = ({ id, receives }: Pick<StoredMessage, "id" | "receives">): string =>
  Buffer.from(`${id} ${receives}`).toString("base64");

/** The message and the number of the delivery; undefined for what is no handle. */
export const readReceiptHandle = (handle: string): { id: string; receives: number } | undefined => {
  const [, id, receives] = /^([0-9a-f-]{36}) (\d+)$/.exec(Buffer.from(handle, "base64").toString("utf8")) ?? [];
  return id === undefined ? undefined : { id, receives: Number(receives) };
};

export const md5 = (content: string | Buffer): string => createHash("md5").update(content).digest("hex");

const withLength = (content: Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  return Buffer.concat([length, content]);
};

/**
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-message-metadata.html#sqs-attributes-md5-message-digest-calculation
 */
export const md5OfAttributes = (attributes: Readonly<Record<string, MessageAttribute>>): string | undefined => {
  const names = Object.keys(attributes).sort();
  if (names.length === 0) return undefined;
  const parts = names.flatMap((name) => {
    const { DataType, StringValue, BinaryValue } = attributes[name] ?? { DataType: "String" };
    const isBinary = DataType.startsWith("Binary");
    return [
      withLength(Buffer.from(name)),
      withLength(Buffer.from(DataType)),
      Buffer.from([isBinary ? 2 : 1]),
      withLength(isBinary ? Buffer.from(BinaryValue ?? "", "base64") : Buffer.from(StringValue ?? "")),
    ];
  });
  return md5(Buffer.concat(parts));
};

/** In bytes: the body, and the names, types and values of its attributes. */
export const sizeOf = ({ body, attributes }: Pick<NewMessage, "body" | "attributes">): number =>
  Object.entries(attributes).reduce(
    (total, [name, { DataType, StringValue = "", BinaryValue = "" }]) =>
      total +
      Buffer.byteLength(name) +
      Buffer.byteLength(DataType) +
      Buffer.byteLength(StringValue) +
      Buffer.from(BinaryValue, "base64").length,
    Buffer.byteLength(body),
  );
