import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  type Message,
  ReceiveMessageCommand,
  type ReceiveMessageCommandInput,
  SendMessageCommand,
  type SendMessageCommandInput,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { type Running, sdkSettings, temporaryDirectory } from "./run.ts";
import { allow, attribute, lambdaFunction } from "./stack.ts";

type Json = Readonly<Record<string, unknown>>;

export const queueArn = (name: string): string => `arn:aws:sqs:us-east-1:000000000000:${name}`;

export const queue = (name: string, properties: Json = {}): Json => ({
  Type: "AWS::SQS::Queue",
  Properties: { QueueName: name, SqsManagedSseEnabled: true, ...properties },
});

/** A queue `Source` whose messages go to `Dead` after so many deliveries. */
export const redriven = (mostReceives: number, properties: Json = {}) => ({
  Dead: queue("Dead"),
  Source: queue("Source", {
    RedrivePolicy: { deadLetterTargetArn: attribute("Dead"), maxReceiveCount: mostReceives },
    ...properties,
  }),
});

const actions = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"];

/** The function `Worker` with the messages of `Source`. It writes them to a file. */
export const worker = (calls: string, mapping: Json = {}, properties: Json = {}) => ({
  ...lambdaFunction("Worker", {
    handler: "queue",
    statements: [allow(actions, attribute("Source"))],
    Environment: { Variables: { CALLS: calls } },
    ...properties,
  }),
  Mapping: {
    Type: "AWS::Lambda::EventSourceMapping",
    Properties: {
      FunctionName: attribute("Worker"),
      EventSourceArn: attribute("Source"),
      FunctionResponseTypes: ["ReportBatchItemFailures"],
      ...mapping,
    },
  },
});

interface RecordOfEvent {
  readonly messageId: string;
  readonly body: string;
  readonly [name: string]: unknown;
}

/** What a worker has written. */
export const written = () => {
  const file = join(temporaryDirectory(), "calls");
  const batches = (): RecordOfEvent[][] =>
    existsSync(file)
      ? readFileSync(file, "utf8")
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line))
      : [];
  const records = () => batches().flat();
  return { file, batches, records, bodies: () => records().map(({ body }) => JSON.parse(body)) };
};

/** The client of an operator, and its calls for one queue. */
export const queueClient = (platform: Running, name = "Source") => {
  const client = new SQSClient(sdkSettings(platform));
  const QueueUrl = `${platform.awsEndpoint}/000000000000/${name}`;
  return {
    client,
    QueueUrl,
    send: async (MessageBody: string, rest: Partial<SendMessageCommandInput> = {}) =>
      client.send(new SendMessageCommand({ QueueUrl, MessageBody, ...rest })),
    receive: async (rest: Partial<ReceiveMessageCommandInput> = {}): Promise<Message[]> => {
      const asked = { QueueUrl, MaxNumberOfMessages: 10, MessageSystemAttributeNames: ["All" as const], ...rest };
      return (await client.send(new ReceiveMessageCommand(asked))).Messages ?? [];
    },
  };
};
