import { appendFileSync, cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fakeClock } from "./fake-clock.ts";
import { gate, runForTest, temporaryDirectory } from "./run.ts";
import { GROUP, noted, roleArn, schedulerOf, schedulesStack } from "./schedules.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const journalIn = (directory: string): string => join(directory, "platform", "scheduler", "schedules.jsonl");

const started = async () => {
  const clock = fakeClock(Date.parse("2026-11-22T08:00:00Z"));
  const calls = noted();
  const stack = schedulesStack(calls.file);
  const platform = await runForTest(stack, { clock });
  return {
    clock,
    calls,
    platform,
    api: schedulerOf(platform),
    again: (dataDir: string, templates: Record<string, unknown> = stack) => runForTest(templates, { clock, dataDir }),
  };
};

/** The data as a SIGKILL leaves them at this moment. */
const killedNow = (dataDir: string): string => {
  const copy = temporaryDirectory();
  cpSync(dataDir, copy, { recursive: true, filter: (source) => !source.endsWith("running.json") });
  return copy;
};

test("after a stop every schedule is there, and what was due meanwhile runs once", async () => {
  const { clock, calls, platform, api, again } = await started();
  await api.create("later", "at(2026-11-22T12:00:00)", { ActionAfterCompletion: "DELETE" });
  await api.create("missed", "at(2026-11-22T09:00:00)", { ActionAfterCompletion: "DELETE" });
  await api.create("hourly", "cron(0 * * * ? *)");
  await api.create("done", "at(2026-11-22T08:10:00)");
  await api.create("removed", "at(2026-11-22T12:00:00)");
  await api.remove("removed");
  clock.advance(15 * MINUTE);
  await calls.become(["done"]);
  // Otherwise its delivery would be repeated after the start.
  const isNoted = (): boolean => /^\{"done":/m.test(readFileSync(journalIn(platform.dataDir), "utf8"));
  await expect.poll(isNoted, { timeout: 240_000 }).toBe(true);
  const before = await api.get("later");
  await platform.stop();
  clock.advance(3 * HOUR);
  const next = await again(platform.dataDir);
  const idsNow = (): string[] => {
    clock.advance(0);
    return calls.ids().toSorted();
  };
  await expect.poll(idsNow, { timeout: 240_000 }).toEqual(["done", "hourly", "missed"]);
  const { $metadata: _, ...after } = await schedulerOf(next).get("later");
  expect(before).toMatchObject(after);
  expect(await schedulerOf(next).names()).toEqual(["done", "hourly", "later"]);
  clock.advance(45 * MINUTE);
  await expect.poll(idsNow, { timeout: 240_000 }).toEqual(["done", "hourly", "hourly", "later", "missed"]);
});

describe("after a SIGKILL", () => {
  test("all acknowledged changes are there, and a line that was cut off is ignored", async () => {
    const { clock, calls, platform, api, again } = await started();
    await api.create("kept", "at(2026-11-22T09:00:00)");
    await api.create("removed", "at(2026-11-22T09:00:00)");
    await api.update("kept", "at(2026-11-22T10:00:00)");
    await api.remove("removed");
    const left = killedNow(platform.dataDir);
    appendFileSync(journalIn(left), '{"put":{"group":"tenantry-te');
    await platform.stop();
    const next = await again(left);
    expect(await schedulerOf(next).names()).toEqual(["kept"]);
    clock.advance(2 * HOUR - 1);
    expect(calls.ids()).toEqual([]);
    clock.advance(1);
    await calls.become(["kept"]);
  });

  test("a run that its function had not completed begins again", async () => {
    const { clock, calls, platform, api, again } = await started();
    const { path: until, open } = gate();
    const Input = JSON.stringify({ id: "slow", until });
    await api.create("slow", "at(2026-11-22T09:00:00)", {
      ActionAfterCompletion: "DELETE",
      Target: { Input } as never,
    });
    clock.advance(HOUR);
    await calls.become(["slow"]);
    const left = killedNow(platform.dataDir);
    await platform.stop();
    open();
    const next = await again(left);
    expect(await schedulerOf(next).names()).toEqual([]);
    clock.advance(0);
    await calls.become(["slow", "slow"]);
  });

  test("a run that was completed does not begin again", async () => {
    const { clock, calls, platform, api, again } = await started();
    await api.create("next", "at(2026-11-22T10:00:00)");
    await api.create("quick", "at(2026-11-22T09:00:00)", { ActionAfterCompletion: "DELETE" });
    clock.advance(HOUR);
    await calls.become(["quick"]);
    const isDone = () => readFileSync(journalIn(platform.dataDir), "utf8").includes('{"done":');
    await expect.poll(isDone, { timeout: 240_000 }).toBe(true);
    const left = killedNow(platform.dataDir);
    await platform.stop();
    await again(left);
    clock.advance(0);
    clock.advance(HOUR);
    // What begins again begins before it.
    await calls.become(["quick", "next"]);
  });
});

test("the journal is written anew before it grows without bound", async () => {
  const { platform, api } = await started();
  await Promise.all(Array.from({ length: 20 }, (_, index) => api.create(`s${index}`, "rate(1 day)")));
  for (let round = 0; round < 520; round++) {
    await Promise.all(Array.from({ length: 20 }, (_, index) => api.update(`s${index}`, "rate(1 day)")));
  }
  const lines = readFileSync(journalIn(platform.dataDir), "utf8").split("\n").length;
  expect(lines).toBeLessThan(10_100);
  expect(await api.names()).toHaveLength(20);
});

test("schedules of a group that the templates do not have any more are gone after a restart", async () => {
  const { platform, api, again } = await started();
  await api.create("old", "rate(1 day)");
  await platform.stop();
  const stack = schedulesStack("");
  const { Group: _, ...others } = stack.schedules.Resources as Record<string, unknown>;
  await (await again(platform.dataDir, { schedules: { Resources: others } })).stop();
  expect(await schedulerOf(await again(platform.dataDir)).names()).toEqual([]);
});

test("a damaged journal stops the start, with its path", async () => {
  const { platform, again } = await started();
  await platform.stop();
  appendFileSync(journalIn(platform.dataDir), '{"put":{"group":5}}\n');
  await expect(again(platform.dataDir)).rejects.toThrow(/schedules\.jsonl is damaged; remove it/);
});

test("a template with a group twice, or with an unknown property of it, stops the start", async () => {
  const group = (Properties: object) => ({ Type: "AWS::Scheduler::ScheduleGroup", Properties });
  const twice = schedulesStack("", { Other: group({ Name: GROUP }) });
  await expect(runForTest(twice)).rejects.toThrow(`the schedule group ${GROUP} exists twice`);
  const unknown = schedulesStack("", { Other: group({ Name: "other", KmsKey: roleArn("target") }) });
  await expect(runForTest(unknown)).rejects.toThrow("KmsKey");
});
