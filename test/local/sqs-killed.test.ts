import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ChangeMessageVisibilityCommand, DeleteMessageCommand } from "@aws-sdk/client-sqs";
import { expect, test } from "vitest";
import { fakeClock } from "./fake-clock.ts";
import { queueClient, redriven, worker, written } from "./queues.ts";
import { gate, type Running, runForTest, temporaryDirectory } from "./run.ts";
import { template } from "./stack.ts";

/** A generous limit for a busy machine. */
const patiently = { timeout: 240_000, interval: 10 };
const SECOND = 1000;

/** Receives until nothing comes any more. */
const drain = async (platform: Running): Promise<string[]> => {
  const { client, QueueUrl, receive } = queueClient(platform);
  const ids: string[] = [];
  for (;;) {
    const messages = await receive();
    if (messages.length === 0) return ids;
    for (const { MessageId = "", ReceiptHandle } of messages) {
      ids.push(MessageId);
      await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
    }
  }
};

test("a SIGKILL of the platform loses no message that was accepted, and brings back none that was deleted", async () => {
  const dataDir = temporaryDirectory();
  const sent: string[] = [];
  const deleting: string[] = [];
  const deleted: string[] = [];
  const lists: Readonly<Record<string, string[]>> = { sent, deleting, deleted };
  for (let kill = 0; kill < 3; kill += 1) {
    const script = join(import.meta.dirname, "sqs-process.ts");
    const child = spawn(process.execPath, [script, dataDir], { stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
    await expect.poll(() => output.split("\n").length, patiently).toBeGreaterThan(75);
    child.kill("SIGKILL");
    await once(child, "close");
    for (const [, what = "", id = ""] of output.matchAll(/^(sent|deleting|deleted) (\S+)$/gm)) lists[what]?.push(id);
  }
  // Messages that were in flight at a kill stay hidden until their timeout.
  const clock = fakeClock(Date.now() + 61 * SECOND);
  const found = await drain(await runForTest({ queues: template(redriven(5)) }, { dataDir, clock }));
  expect(new Set(found).size).toBe(found.length);
  // A message may be there or not while its deletion is not acknowledged.
  expect(sent.filter((id) => !deleting.includes(id) && !found.includes(id))).toEqual([]);
  expect(found.filter((id) => deleted.includes(id))).toEqual([]);
  expect(deleted.length).toBeGreaterThan(30);
});

test("a restart keeps delays, counts of deliveries and visibility timeouts", async () => {
  const clock = fakeClock();
  const stack = { queues: template(redriven(2)) };
  const first = await runForTest(stack, { clock });
  const before = queueClient(first);
  await before.send("delayed", { DelaySeconds: 100 });
  await before.send("received");
  await before.send("shortened");
  const [, shortened] = await before.receive({ VisibilityTimeout: 60 });
  const { ReceiptHandle } = shortened ?? {};
  await before.client.send(
    new ChangeMessageVisibilityCommand({ QueueUrl: before.QueueUrl, ReceiptHandle, VisibilityTimeout: 40 }),
  );
  await first.stop();
  const second = await runForTest(stack, { clock, dataDir: first.dataDir });
  const after = queueClient(second);
  const bodies = async () =>
    (await after.receive({ VisibilityTimeout: 500 })).map(({ Body, Attributes }) => [
      Body,
      Attributes?.ApproximateReceiveCount,
    ]);
  expect(await bodies()).toEqual([]);
  clock.advance(40 * SECOND);
  expect(await bodies()).toEqual([["shortened", "2"]]);
  clock.advance(20 * SECOND);
  expect(await bodies()).toEqual([["received", "2"]]);
  clock.advance(40 * SECOND);
  expect(await bodies()).toEqual([["delayed", "1"]]);
  // A handle from before the restart is that of an earlier delivery.
  await after.client.send(new DeleteMessageCommand({ QueueUrl: after.QueueUrl, ReceiptHandle }));
  clock.advance(460 * SECOND);
  const dead = queueClient(second, "Dead");
  expect((await dead.receive()).map(({ Body }) => Body).sort()).toEqual(["received", "shortened"]);
});

test("a message that a function had at the stop of the platform is delivered again at the next start", async () => {
  const clock = fakeClock();
  const calls = written();
  const { path: until, open } = gate();
  const slow = worker(calls.file, {}, { Timeout: 20 });
  const first = await runForTest({ queues: template(redriven(5), slow) }, { clock });
  await queueClient(first).send(JSON.stringify({ until }));
  await expect.poll(() => calls.records().length, patiently).toBe(1);
  await first.stop();
  open();
  await runForTest({ queues: template(redriven(5), slow) }, { clock, dataDir: first.dataDir });
  await expect.poll(() => calls.records().length, patiently).toBe(2);
  const counts = calls.records().map(({ attributes }) => attributes);
  expect(counts).toMatchObject([{ ApproximateReceiveCount: "1" }, { ApproximateReceiveCount: "2" }]);
});

test("a journal whose last line was cut off is read without it, and a damaged one stops the start by its name", async () => {
  const stack = { queues: template(redriven(5)) };
  const first = await runForTest(stack);
  await queueClient(first).send("kept");
  await first.stop();
  const file = join(first.dataDir, "platform", "sqs", "Source.jsonl");
  appendFileSync(file, '{"sent":{"id":"');
  const second = await runForTest(stack, { dataDir: first.dataDir });
  expect(await queueClient(second).receive({ VisibilityTimeout: 0 })).toMatchObject([{ Body: "kept" }]);
  await second.stop();
  appendFileSync(file, `nothing\n${readFileSync(file, "utf8")}`);
  await expect(runForTest(stack, { dataDir: first.dataDir })).rejects.toThrow(`The file ${file} is damaged`);
});
