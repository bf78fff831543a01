import { GetQueueAttributesCommand } from "@aws-sdk/client-sqs";
import { describe, expect, test } from "vitest";
import { fakeClock } from "./fake-clock.ts";
import { queue, queueClient, redriven, worker, written } from "./queues.ts";
import { gate, type Running, runForTest } from "./run.ts";
import { template } from "./stack.ts";

/** A generous limit for a busy machine. */
const patiently = { timeout: 240_000, interval: 10 };
const SECOND = 1000;

const counts = async (platform: Running, name = "Source") => {
  const { client, QueueUrl } = queueClient(platform, name);
  const { Attributes } = await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] }));
  return [Number(Attributes?.ApproximateNumberOfMessages), Number(Attributes?.ApproximateNumberOfMessagesNotVisible)];
};

const start = async (mapping: Record<string, unknown> = {}, mostReceives = 3) => {
  const clock = fakeClock();
  const calls = written();
  // In seconds: longer than a handler is held.
  const queue = redriven(mostReceives, { VisibilityTimeout: 300 });
  const stack = template(queue, worker(calls.file, mapping, { Timeout: 300 }));
  const platform = await runForTest({ queues: stack }, { clock });
  return { clock, calls, stack, platform, ...queueClient(platform) };
};

test("a function gets each message in the event's form, and the message is deleted", async () => {
  const { calls, platform, send } = await start();
  const { MessageId } = await send('{"a":1}', {
    MessageGroupId: "org_1",
    MessageAttributes: { kind: { DataType: "String", StringValue: "test" } },
  });
  await expect.poll(calls.records, patiently).toEqual([
    {
      messageId: MessageId,
      receiptHandle: expect.any(String),
      body: '{"a":1}',
      attributes: {
        ApproximateReceiveCount: "1",
        ApproximateFirstReceiveTimestamp: "1773342238000",
        SentTimestamp: "1773342238000",
        SenderId: expect.any(String),
        MessageGroupId: "org_1",
      },
      messageAttributes: {
        kind: { stringValue: "test", stringListValues: [], binaryListValues: [], dataType: "String" },
      },
      md5OfBody: "bb6cb5c68df4652941caf652a366f2d8",
      eventSource: "aws:sqs",
      eventSourceARN: "arn:aws:sqs:us-east-1:000000000000:Source",
      awsRegion: "us-east-1",
    },
  ]);
  await expect.poll(() => counts(platform), patiently).toEqual([0, 0]);
});

test("of a batch only the messages that the function reports come again, at last as dead letters", async () => {
  const { clock, calls, platform, send } = await start({ BatchSize: 10, MaximumBatchingWindowInSeconds: 5 }, 2);
  await send('{"id":"good"}');
  await send('{"id":"bad","fail":true}');
  for (let delivery = 1; delivery <= 2; delivery += 1) {
    await expect.poll(() => counts(platform), patiently).toEqual([0, 3 - delivery]);
    clock.advance(5 * SECOND);
    await expect.poll(() => calls.batches().length, patiently).toBe(delivery);
    await expect.poll(() => counts(platform), patiently).toEqual([0, 1]);
    clock.advance(300 * SECOND);
  }
  expect(calls.batches().map((batch) => batch.map(({ body }) => JSON.parse(body).id))).toEqual([
    ["good", "bad"],
    ["bad"],
  ]);
  await expect.poll(() => counts(platform, "Dead"), patiently).toEqual([1, 0]);
});

describe("all messages of a batch come again", () => {
  test.each([
    ["if the function fails", '{"crash":true}'],
    ["if the answer names an unknown message", '{"answer":{"batchItemFailures":[{"itemIdentifier":"other"}]}}'],
    ["if the answer names an empty message", '{"answer":{"batchItemFailures":[{"itemIdentifier":""}]}}'],
    ["if the answer is no object", '{"answer":"nothing"}'],
  ])("%s", async (_, body) => {
    const { clock, calls, send } = await start();
    await send(body);
    await expect.poll(() => calls.batches().length, patiently).toBe(1);
    await expect
      .poll(() => {
        clock.advance(100 * SECOND);
        return calls.batches().length;
      }, patiently)
      .toBeGreaterThan(1);
  });

  test.each([
    ["if the answer is null", '{"answer":null}'],
    ["if the answer has no failures", '{"answer":{}}'],
  ])("but not %s", async (_, body) => {
    const { platform, calls, send } = await start();
    await send(body);
    await expect.poll(() => calls.batches().length, patiently).toBe(1);
    await expect.poll(() => counts(platform), patiently).toEqual([0, 0]);
  });
});

test("no more invocations run at the same time than the mapping allows", async () => {
  const { calls, platform, send } = await start({ BatchSize: 1, ScalingConfig: { MaximumConcurrency: 2 } });
  const { path: until, open } = gate();
  for (let index = 0; index < 6; index += 1) await send(JSON.stringify({ until }));
  await expect.poll(() => calls.batches().length, patiently).toBe(2);
  expect(await counts(platform)).toEqual([4, 2]);
  open();
  await expect.poll(() => counts(platform), patiently).toEqual([0, 0]);
  expect(calls.batches()).toHaveLength(6);
  // Each handles one batch at a time.
  expect(platform.environments("Worker")).toBe(2);
});

test("one tenant's 10,000 messages do not delay another's one", async () => {
  const { calls, platform, send } = await start({ BatchSize: 1, ScalingConfig: { MaximumConcurrency: 4 } });
  const { path: until, open } = gate();
  const loud = JSON.stringify({ until });
  for (let batch = 0; batch < 100; batch += 1) {
    await Promise.all(Array.from({ length: 100 }, () => send(loud, { MessageGroupId: "loud" })));
  }
  await expect.poll(() => calls.batches().length, patiently).toBe(4);
  expect(await counts(platform)).toEqual([9_996, 4]);
  await send('{"quiet":true}', { MessageGroupId: "quiet" });
  open();
  const position = () => calls.bodies().findIndex(({ quiet }) => quiet === true);
  await expect.poll(position, patiently).toBeGreaterThan(-1);
  // After those that ran when it was sent, and those that begin together with it.
  expect(position()).toBeLessThan(100);
});

test("messages wait until the HTTP API is open", async () => {
  const calls = written();
  const stack = template(redriven(3), worker(calls.file));
  const platform = await runForTest({ queues: stack }, { closed: true });
  await queueClient(platform).send("{}");
  // An open mapping takes a message before its sender has the answer.
  expect(await counts(platform)).toEqual([1, 0]);
  platform.open();
  await expect.poll(() => calls.batches().length, patiently).toBe(1);
});

describe("a mapping is refused", () => {
  test("if the role of its function may not receive", async () => {
    const stack = template({ Source: queue("Source") }, worker("", {}, { statements: [] }));
    await expect(runForTest({ queues: stack })).rejects.toThrow(
      "the role of the function Worker does not allow sqs:ReceiveMessage on arn:aws:sqs:us-east-1:000000000000:Source",
    );
  });

  test("if the visibility timeout of its queue is shorter than the time limit of its function", async () => {
    const stack = template({ Source: queue("Source", { VisibilityTimeout: 4 }) }, worker(""));
    await expect(runForTest({ queues: stack })).rejects.toThrow("the queue's visibility timeout (4 s) is shorter");
  });

  test("with a filter, by name", async () => {
    const stack = template({ Source: queue("Source") }, worker("", { FilterCriteria: { Filters: [] } }));
    await expect(runForTest({ queues: stack })).rejects.toThrow("FilterCriteria");
  });

  test("for another source than SQS", async () => {
    const EventSourceArn = "arn:aws:kinesis:us-east-1:000000000000:stream/x";
    const stack = template({ Source: queue("Source") }, worker("", { EventSourceArn }));
    await expect(runForTest({ queues: stack })).rejects.toThrow("only SQS queues are supported");
  });
});
