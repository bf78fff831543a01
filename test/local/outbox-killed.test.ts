import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { launchEcho } from "./outbox/launch.ts";
import { temporaryDirectory } from "./run.ts";

/** A generous limit for a busy machine. */
const patiently = { timeout: 240_000, interval: 50 };
const MESSAGES = 40;

/** Runs the platform until so many messages were begun, and kills it. Gives the organization. */
const killAfter = async (dataDir: string, begun: number): Promise<string> => {
  const script = join(import.meta.dirname, "outbox", "platform-process.ts");
  const child = spawn(process.execPath, [script, dataDir, String(MESSAGES)], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  await expect.poll(() => Number(/runs (\d+)\n$/.exec(output)?.[1] ?? 0), patiently).toBeGreaterThanOrEqual(begun);
  child.kill("SIGKILL");
  await once(child, "close");
  return /organization (\S+)/.exec(output)?.[1] ?? "";
};

test("a SIGKILL of the platform loses no committed message: each is handled once, or recorded as interrupted", async () => {
  const dataDir = temporaryDirectory();
  const organization = await killAfter(dataDir, 10);
  const platform = await launchEcho({ dataDir });
  try {
    const db = platform.database.db(organization);
    const entries = () => db.collection("_outbox").find().toArray();
    const unfinished = async (): Promise<number> => {
      await platform.invoke("sweep-echo", {});
      return (await entries()).filter(({ status }) => status !== "failed").length;
    };
    await expect.poll(unfinished, patiently).toBe(0);
    const runs = await db.collection("echo_run").find().toArray();
    const begun = runs.map(({ key }) => String(key));
    expect(new Set(begun).size).toBe(begun.length);
    // At most those that the eight functions had when they were killed.
    const failed = await entries();
    expect(failed.length).toBeLessThanOrEqual(8);
    expect(failed.map(({ failure }) => failure.code)).toEqual(failed.map(() => "interrupted"));
    const accounted = new Set([...begun, ...failed.map(({ payload }) => JSON.parse(payload).key)]);
    expect(accounted.size).toBe(MESSAGES);
    expect(await platform.counts("echo-dead-letters")).toEqual([0, 0, 0]);
  } finally {
    await platform.database.close();
    await platform.stop();
  }
});
