import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from "@aws-sdk/client-s3";
import { expect, test } from "vitest";
import { Bucket, bucket, operatorOf } from "./buckets.ts";
import { runForTest, temporaryDirectory } from "./run.ts";
import { template } from "./stack.ts";

/** A generous limit for a busy machine. */
const patiently = { timeout: 240_000, interval: 10 };
const stack = { files: template({ Files: bucket() }) };

test("a SIGKILL of the platform loses no object that was stored, leaves none in part, and brings back none", async () => {
  const dataDir = temporaryDirectory();
  const stored = new Map<string, number>();
  const deleted: string[] = [];
  for (const round of ["first", "second"]) {
    const script = join(import.meta.dirname, "s3-process.ts");
    const child = spawn(process.execPath, [script, dataDir, round], { stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => {
      output += chunk.toString();
    });
    await expect.poll(() => output.split("\n").length, patiently).toBeGreaterThan(40);
    child.kill("SIGKILL");
    await once(child, "close");
    for (const [, what, key = "", length] of output.matchAll(/^(stored|deleting|deleted) (\S+) ?(\d*)$/gm)) {
      if (what === "stored") stored.set(key, Number(length));
      // It may be there or not until the deletion is acknowledged.
      else if (what === "deleting") stored.delete(key);
      else deleted.push(key);
    }
  }
  const platform = await runForTest(stack, { dataDir });
  const s3 = operatorOf(platform);
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket }));
  const found = new Map(Contents.map(({ Key = "", Size = 0 }) => [Key, Size]));
  expect([...stored.keys()].filter((key) => !found.has(key))).toEqual([]);
  expect(deleted.filter((key) => found.has(key))).toEqual([]);
  // A write or a deletion that was not acknowledged may have happened or not.
  expect(found.size - stored.size).toBeLessThanOrEqual(2);
  for (const [Key, size] of found) {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
    const bytes = Buffer.from((await Body?.transformToByteArray()) ?? []);
    expect(bytes).toHaveLength(size);
    expect(bytes.equals(Buffer.alloc(size, bytes[0]))).toBe(true);
    expect(size).toBeGreaterThanOrEqual(stored.get(Key) ?? 0);
  }
  expect(readdirSync(join(dataDir, "platform", "s3", Bucket, "unfinished"))).toEqual([]);
});

test("a damaged object does not stop the start; its read is an error that names the file", async () => {
  const first = await runForTest(stack);
  await operatorOf(first).send(new PutObjectCommand({ Bucket, Key: "documents/one", Body: "content" }));
  await first.stop();
  const file = join(first.dataDir, "platform", "s3", Bucket, "objects", "documents", "one.object");
  truncateSync(file, 10);
  const second = await runForTest(stack, { dataDir: first.dataDir });
  const read = operatorOf(second).send(new GetObjectCommand({ Bucket, Key: "documents/one" }));
  await expect(read).rejects.toThrow(`The file ${file} is damaged`);
});
