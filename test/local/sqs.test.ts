import {
  ChangeMessageVisibilityBatchCommand,
  ChangeMessageVisibilityCommand,
  DeleteMessageBatchCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListMessageMoveTasksCommand,
  ListQueuesCommand,
  PurgeQueueCommand,
  SendMessageBatchCommand,
  SQSClient,
  StartMessageMoveTaskCommand,
} from "@aws-sdk/client-sqs";
import { describe, expect, test } from "vitest";
import { fakeClock } from "./fake-clock.ts";
import { functionCaller } from "./function-caller.ts";
import { queue, queueArn, queueClient, redriven } from "./queues.ts";
import { runForTest } from "./run.ts";
import { allow, attribute, lambdaFunction, template } from "./stack.ts";

const SECOND = 1000;

const start = async (resources: Record<string, Record<string, unknown>> = { Source: queue("Source") }) => {
  const clock = fakeClock();
  const platform = await runForTest({ queues: template(resources) }, { clock });
  return { clock, platform, ...queueClient(platform) };
};

describe("a message", () => {
  test("arrives with its attributes, its group and their digests, and is gone after it was deleted", async () => {
    const { client, QueueUrl, send, receive } = await start();
    const MessageAttributes = {
      kind: { DataType: "String", StringValue: "test" },
      size: { DataType: "Number", StringValue: "12.5" },
      raw: { DataType: "Binary", BinaryValue: new Uint8Array([1, 2, 255]) },
    };
    const sent = await send("Grüße\n", { MessageAttributes, MessageGroupId: "org_1" });
    expect(sent.MD5OfMessageBody).toBe("2b754a419483a90e158df456d3c0feb5");
    const [message] = await receive({ MessageAttributeNames: ["All"] });
    expect(message).toMatchObject({ MessageId: sent.MessageId, Body: "Grüße\n", MessageAttributes });
    expect(message?.MD5OfMessageAttributes).toBe("35d6d856dfaffdf5193066362aed4fcf");
    expect(sent.MD5OfMessageAttributes).toBe("35d6d856dfaffdf5193066362aed4fcf");
    expect(message?.Attributes).toEqual({
      ApproximateReceiveCount: "1",
      ApproximateFirstReceiveTimestamp: String(Date.UTC(2026, 2, 12, 19, 3, 58)),
      SentTimestamp: String(Date.UTC(2026, 2, 12, 19, 3, 58)),
      SenderId: expect.any(String),
      MessageGroupId: "org_1",
    });
    await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message?.ReceiptHandle }));
    const { Attributes } = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] }));
    expect(Attributes).toMatchObject({
      QueueArn: queueArn("Source"),
      ApproximateNumberOfMessages: "0",
      ApproximateNumberOfMessagesNotVisible: "0",
      VisibilityTimeout: "30",
    });
  });

  test("is hidden for the visibility timeout after it was received, and then comes again with a new handle", async () => {
    const { clock, client, QueueUrl, send, receive } = await start();
    await send("once more");
    const [first] = await receive();
    clock.advance(30 * SECOND - 1);
    expect(await receive()).toEqual([]);
    clock.advance(1);
    const [second] = await receive();
    expect(second?.Attributes?.ApproximateReceiveCount).toBe("2");
    await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: first?.ReceiptHandle }));
    clock.advance(30 * SECOND);
    expect(await receive()).toHaveLength(1);
  });

  test("with a delay is received after it, and counted as delayed until then", async () => {
    const { clock, client, QueueUrl, send, receive } = await start();
    await send("later", { DelaySeconds: 5 });
    const { Attributes } = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] }));
    expect(Attributes?.ApproximateNumberOfMessagesDelayed).toBe("1");
    clock.advance(5 * SECOND - 1);
    expect(await receive()).toEqual([]);
    clock.advance(1);
    expect(await receive()).toHaveLength(1);
  });

  test("that is older than the retention of its queue is gone", async () => {
    const { clock, send, receive } = await start({ Source: queue("Source", { MessageRetentionPeriod: 60 }) });
    await send("old");
    clock.advance(59 * SECOND);
    await send("young");
    clock.advance(SECOND);
    expect((await receive()).map(({ Body }) => Body)).toEqual(["young"]);
  });

  test("may have 1 MiB with its attributes, and no more", async () => {
    const { send } = await start();
    const attributes = { a: { DataType: "String", StringValue: "b" } };
    await send("x".repeat(1_048_576 - 8), { MessageAttributes: attributes });
    await expect(send("x".repeat(1_048_576 - 7), { MessageAttributes: attributes })).rejects.toMatchObject({
      name: "InvalidParameterValue",
    });
    await expect(send("a\u0000b")).rejects.toMatchObject({ name: "InvalidMessageContents" });
  });
});

describe("visibility", () => {
  test("can be changed for one message and for several, and a deleted message has none", async () => {
    const { clock, client, QueueUrl, send, receive } = await start();
    await send("one");
    await send("two");
    const [one, two] = await receive();
    const change = { QueueUrl, ReceiptHandle: one?.ReceiptHandle, VisibilityTimeout: 0 };
    await client.send(new ChangeMessageVisibilityCommand(change));
    expect((await receive()).map(({ Body }) => Body)).toEqual(["one"]);
    const entries = [
      { Id: "two", ReceiptHandle: two?.ReceiptHandle, VisibilityTimeout: 100 },
      { Id: "bad", ReceiptHandle: "none", VisibilityTimeout: 1 },
    ];
    const changed = await client.send(new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries: entries }));
    expect(changed.Successful).toEqual([{ Id: "two" }]);
    expect(changed.Failed).toMatchObject([{ Id: "bad", Code: "ReceiptHandleIsInvalid", SenderFault: true }]);
    clock.advance(99 * SECOND);
    expect((await receive()).map(({ Body }) => Body)).toEqual(["one"]);
    clock.advance(SECOND);
    expect((await receive()).map(({ Body }) => Body)).toEqual(["two"]);
    await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: one?.ReceiptHandle }));
  });
});

describe("batches", () => {
  test("are sent and deleted with a result for each entry", async () => {
    const { client, QueueUrl, receive } = await start();
    const Entries = [
      { Id: "good", MessageBody: "good" },
      { Id: "bad", MessageBody: "bad", DelaySeconds: 901 },
    ];
    const sent = await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    expect(sent.Successful).toMatchObject([{ Id: "good" }]);
    expect(sent.Failed).toMatchObject([{ Id: "bad", Code: "InvalidParameterValue", SenderFault: true }]);
    const [message] = await receive();
    const deleted = await client.send(
      new DeleteMessageBatchCommand({ QueueUrl, Entries: [{ Id: "a", ReceiptHandle: message?.ReceiptHandle }] }),
    );
    expect(deleted.Successful).toEqual([{ Id: "a" }]);
  });

  test.each([
    ["EmptyBatchRequest", []],
    ["BatchEntryIdsNotDistinct", ["a", "a"]],
    ["InvalidBatchEntryId", ["a b"]],
    ["TooManyEntriesInBatchRequest", Array.from({ length: 11 }, (_, index) => `id${index}`)],
  ])("are refused by %s", async (name, ids) => {
    const { client, QueueUrl } = await start();
    const Entries = ids.map((Id) => ({ Id, MessageBody: "x" }));
    await expect(client.send(new SendMessageBatchCommand({ QueueUrl, Entries }))).rejects.toMatchObject({ name });
  });

  test("may have 1 MiB in all", async () => {
    const { client, QueueUrl } = await start();
    const Entries = ["a", "b"].map((Id) => ({ Id, MessageBody: Id.repeat(600_000) }));
    await expect(client.send(new SendMessageBatchCommand({ QueueUrl, Entries }))).rejects.toMatchObject({
      name: "BatchRequestTooLong",
    });
  });
});

describe("fairness", () => {
  test("the one message of a second group is not behind thirty of the first", async () => {
    const { send, receive } = await start();
    for (let index = 0; index < 30; index += 1) await send(`first ${index}`, { MessageGroupId: "first" });
    await send("second", { MessageGroupId: "second" });
    const received = await receive({ MaxNumberOfMessages: 3 });
    expect(received.map(({ Body }) => Body)).toEqual(["first 0", "second", "first 1"]);
  });

  test("a group that has fewer messages in flight comes first", async () => {
    const { clock, send, receive } = await start();
    for (let index = 0; index < 8; index += 1) await send(`loud ${index}`, { MessageGroupId: "loud" });
    expect(await receive({ MaxNumberOfMessages: 5 })).toHaveLength(5);
    for (let index = 0; index < 3; index += 1) await send(`quiet ${index}`, { MessageGroupId: "quiet" });
    expect((await receive({ MaxNumberOfMessages: 3 })).map(({ Body }) => Body)).toEqual([
      "quiet 0",
      "quiet 1",
      "quiet 2",
    ]);
    clock.advance(30 * SECOND);
    expect(await receive()).toHaveLength(10);
  });
});

describe("dead letters", () => {
  test("are messages that were received too often, and a move task brings them back", async () => {
    const { clock, platform, client, send, receive } = await start(redriven(2));
    const sent = await send("poison", { MessageGroupId: "org_1" });
    for (let attempt = 0; attempt < 2; attempt += 1) {
      expect(await receive()).toHaveLength(1);
      clock.advance(30 * SECOND);
    }
    expect(await receive()).toEqual([]);
    const dead = queueClient(platform, "Dead");
    const [letter] = await dead.receive({ VisibilityTimeout: 0 });
    expect(letter).toMatchObject({
      MessageId: sent.MessageId,
      Body: "poison",
      Attributes: {
        DeadLetterQueueSourceArn: queueArn("Source"),
        MessageGroupId: "org_1",
        SentTimestamp: String(Date.UTC(2026, 2, 12, 19, 3, 58)),
      },
    });
    const { TaskHandle } = await client.send(new StartMessageMoveTaskCommand({ SourceArn: queueArn("Dead") }));
    expect(TaskHandle).toBeTruthy();
    const { Results } = await client.send(new ListMessageMoveTasksCommand({ SourceArn: queueArn("Dead") }));
    expect(Results).toMatchObject([
      { Status: "COMPLETED", ApproximateNumberOfMessagesMoved: 1, ApproximateNumberOfMessagesToMove: 1 },
    ]);
    expect(await dead.receive()).toEqual([]);
    expect(await receive()).toMatchObject([{ Body: "poison", Attributes: { ApproximateReceiveCount: "1" } }]);
  });

  test("are moved at the rate that was asked for", async () => {
    const { clock, platform, client } = await start(redriven(1));
    const dead = queueClient(platform, "Dead");
    for (let index = 0; index < 5; index += 1) await dead.send(String(index));
    const ask = { SourceArn: queueArn("Dead"), DestinationArn: queueArn("Source"), MaxNumberOfMessagesPerSecond: 2 };
    await client.send(new StartMessageMoveTaskCommand(ask));
    const moved = async () =>
      (await client.send(new ListMessageMoveTasksCommand({ SourceArn: queueArn("Dead") }))).Results?.[0];
    expect(await moved()).toMatchObject({ Status: "RUNNING", ApproximateNumberOfMessagesMoved: 2 });
    await expect(client.send(new StartMessageMoveTaskCommand(ask))).rejects.toMatchObject({
      name: "UnsupportedOperation",
    });
    clock.advance(2 * SECOND);
    expect(await moved()).toMatchObject({ Status: "COMPLETED", ApproximateNumberOfMessagesMoved: 5 });
  });

  test("are moved only from a queue that is a dead-letter queue", async () => {
    const { client } = await start(redriven(1));
    const ask = new StartMessageMoveTaskCommand({ SourceArn: queueArn("Source") });
    await expect(client.send(ask)).rejects.toMatchObject({ name: "InvalidParameterValue" });
  });
});

describe("queues", () => {
  test("are found by name, listed by prefix, and purged", async () => {
    const { client, QueueUrl, send, receive } = await start({ Source: queue("Source"), Other: queue("Other") });
    expect(await client.send(new GetQueueUrlCommand({ QueueName: "Source" }))).toMatchObject({ QueueUrl });
    const { QueueUrls } = await client.send(new ListQueuesCommand({ QueueNamePrefix: "So" }));
    expect(QueueUrls).toEqual([QueueUrl]);
    await expect(client.send(new GetQueueUrlCommand({ QueueName: "Nothing" }))).rejects.toMatchObject({
      name: "QueueDoesNotExist",
    });
    await send("one");
    await receive();
    await send("two");
    await client.send(new PurgeQueueCommand({ QueueUrl }));
    expect(await receive()).toEqual([]);
  });

  test("a waiting client gets a message at once, on the host that the queue's URL names too", async () => {
    const { receive, send, QueueUrl, platform } = await start();
    const waiting = receive({ WaitTimeSeconds: 20 });
    await send("now");
    expect(await waiting).toMatchObject([{ Body: "now" }]);
    const silent = { trace: () => undefined, debug: () => undefined, info: () => undefined, warn: () => undefined };
    const logger = { ...silent, error: () => undefined };
    const unaddressed = new SQSClient({ region: "us-east-1", credentials: platform.credentials, logger });
    const ask = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["QueueArn"] });
    expect((await unaddressed.send(ask)).Attributes).toEqual({ QueueArn: queueArn("Source") });
  });
});

describe("permissions", () => {
  test("a function sends to the queues that its role names, and receives nothing", async () => {
    const caller = lambdaFunction("Caller", { statements: [allow("sqs:SendMessage", attribute("Source"))] });
    const { platform, QueueUrl } = await start({ Source: queue("Source"), Other: queue("Other"), ...caller });
    const settings = await functionCaller(platform).as("Caller");
    const client = new SQSClient(settings);
    const Entries = [{ Id: "a", MessageBody: "x" }];
    const sent = await client.send(new SendMessageBatchCommand({ QueueUrl, Entries }));
    expect(sent.Successful).toHaveLength(1);
    const denied = { name: "AccessDeniedException" };
    await expect(client.send(new PurgeQueueCommand({ QueueUrl }))).rejects.toMatchObject(denied);
    const Other = QueueUrl.replace("Source", "Other");
    await expect(client.send(new SendMessageBatchCommand({ QueueUrl: Other, Entries }))).rejects.toMatchObject(denied);
  });

  test("a policy of the queue denies what the role of a function allows", async () => {
    const Policy = {
      Type: "AWS::SQS::QueuePolicy",
      Properties: {
        Queues: [{ Ref: "Source" }],
        PolicyDocument: {
          Version: "2012-10-17",
          Statement: [
            {
              Effect: "Deny",
              Principal: { AWS: "*" },
              Action: "sqs:*",
              Resource: attribute("Source"),
              Condition: { Bool: { "aws:SecureTransport": "false" } },
            },
            { Effect: "Deny", Principal: { AWS: "*" }, Action: "sqs:PurgeQueue", Resource: attribute("Source") },
          ],
        },
      },
    };
    const { client, QueueUrl, send } = await start({ Source: queue("Source"), Policy });
    await send("allowed");
    await expect(client.send(new PurgeQueueCommand({ QueueUrl }))).rejects.toMatchObject({
      name: "AccessDeniedException",
    });
  });
});

describe("a template is refused", () => {
  test.each([
    ["FifoQueue", { Source: queue("Source", { FifoQueue: true }) }],
    ["KmsMasterKeyId", { Source: queue("Source", { KmsMasterKeyId: "alias/aws/sqs" }) }],
    ["RedriveAllowPolicy", { Source: queue("Source", { RedriveAllowPolicy: {} }) }],
    [
      "there is no queue arn:aws:sqs:us-east-1:000000000000:None",
      { Source: queue("Source", { RedrivePolicy: { deadLetterTargetArn: queueArn("None"), maxReceiveCount: 3 } }) },
    ],
  ])("with %s, by name", async (named, resources) => {
    await expect(runForTest({ queues: template(resources) })).rejects.toThrow(named);
  });
});
