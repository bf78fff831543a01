import {
  ConflictException,
  CreateScheduleCommand,
  DeleteScheduleCommand,
  GetScheduleCommand,
} from "@aws-sdk/client-scheduler";
import type { Db, MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { databaseClient, invokeOperation, registerOrganization, type User } from "../../platform.ts";
import { deliver, functionRecord, GROUP, nameOf, scheduledItems, scheduler } from "./scheduled-items.ts";

const HOUR = 3_600_000;
const later = (): string => new Date(Date.now() + HOUR).toISOString();

let owner: User;
let items: ReturnType<typeof scheduledItems>;
let echo: { id: string };
let mongo: MongoClient;
let database: Db;

beforeAll(async () => {
  owner = await registerOrganization();
  items = scheduledItems(owner);
  echo = await functionRecord(owner, "return kwargs");
  mongo = await databaseClient();
  database = mongo.db(owner.organizationId);
});
afterAll(() => mongo.close());

const reconcile = () => invokeOperation<Record<string, number | boolean>>("reconcile-schedules", {});

/**
 * Prepares work and runs the job, until the job has found so much of it. Another run of the job, which belongs to
 * another test, may be the first to do it.
 */
const reconciled = (what: "restored" | "removed" | "ended", least: number, prepare: () => Promise<unknown>) => {
  const found = async () => {
    await prepare();
    const result = await reconcile();
    expect(result.complete).toBe(true);
    return result[what];
  };
  return expect.poll(found).toBeGreaterThanOrEqual(least);
};

const lose = async (id: string): Promise<void> => {
  if ((await items.schedule(id)) === undefined) return;
  await scheduler.send(new DeleteScheduleCommand({ GroupName: GROUP, Name: nameOf(owner, id) }));
};

const stored = () => database.collection<{ _id: string }>("scheduled_item");

it("an item whose schedule was lost has one again, and runs at once if its time has passed", async () => {
  const { id: ahead } = await items.add({ function: echo, run_date_time: later() });
  const { id: behind } = await items.add({ function: echo, run_date_time: later() });
  const { id: recurring } = await items.add({
    function: echo,
    run_date_time: later(),
    schedule_expression: "rate(1 day)",
  });
  await reconciled("restored", 2, () => Promise.all([ahead, recurring].map(lose)));
  await stored().updateOne({ _id: behind }, { $set: { run_date_time: new Date(Date.now() - HOUR) } });
  await lose(behind);
  await reconcile();
  expect((await items.schedule(ahead))?.ScheduleExpression).toMatch(/^at\(/);
  expect((await items.schedule(recurring))?.ScheduleExpression).toBe("rate(1 day)");
  await items.become(behind, "Completed");
});

it("a schedule without an item, or of an organization that is gone, is removed", async () => {
  const { id } = await items.add({ function: echo, run_date_time: later() });
  const found = await items.schedule(id);
  const put = async (organization: string, record: string): Promise<void> => {
    const Name = nameOf({ organizationId: organization }, record);
    const Input = JSON.stringify({ organization, kind: "item", id: record, revision: "1", scheduled_time: "" });
    const { GroupName, ScheduleExpression, FlexibleTimeWindow, Target } = found ?? {};
    const values = { GroupName, ScheduleExpression, FlexibleTimeWindow, Name };
    const schedule = { ...values, Target: { Arn: Target?.Arn, RoleArn: Target?.RoleArn, Input } };
    await scheduler.send(new CreateScheduleCommand(schedule)).catch((error: unknown) => {
      if (!(error instanceof ConflictException)) throw error;
    });
  };
  await stored().updateOne({ _id: id }, { $set: { status: "Completed" } });
  const strange: [string, string][] = [
    [owner.organizationId, "nothing"],
    ["org_0000000000000000", "nothing"],
    [owner.organizationId, id],
  ];
  await reconciled("removed", 3, () => Promise.all(strange.map(([organization, record]) => put(organization, record))));
  for (const [organizationId, record] of strange) {
    const Name = nameOf({ organizationId }, record);
    const present = scheduler.send(new GetScheduleCommand({ GroupName: GROUP, Name }));
    await expect(present).rejects.toMatchObject({ name: "ResourceNotFoundException" });
  }
});

it("schedules and items that belong together stay as they are", async () => {
  const { id } = await items.add({ function: echo, run_date_time: later() });
  const isChanged = async (): Promise<boolean> => {
    const before = await items.schedule(id);
    await reconcile();
    const after = await items.schedule(id);
    return before === undefined || after?.LastModificationDate?.getTime() !== before.LastModificationDate?.getTime();
  };
  // Another run of the job, which belongs to another test, may have read the item before it had its schedule.
  await expect.poll(isChanged).toBe(false);
});

it("a run whose function died is failed and not begun again, and a recurring item is queued again", async () => {
  const { id } = await items.add({ function: echo, run_date_time: later() });
  const { id: other } = await items.add({ function: echo, run_date_time: later() });
  const { id: recurring } = await items.add({
    function: echo,
    run_date_time: later(),
    schedule_expression: "rate(1 day)",
  });
  const claim = { status: "Running", _claim: { id: "gone", until: new Date(Date.now() - 1_000) } };
  const die = (...ids: string[]) => stored().updateMany({ _id: { $in: ids } }, { $set: claim });
  await die(other);
  expect(await deliver(owner, { id: other, revision: 1 })).toBe("dropped");
  expect((await items.get(other)).status).toBe("Failed");
  await reconciled("ended", 2, () => die(id, recurring));
  const item = await items.get(id);
  expect([item.status, item.status_history.at(-1).reason]).toEqual(["Failed", "interrupted"]);
  const again = await items.get(recurring);
  expect([again.status, again.status_history.at(-1).reason]).toEqual(["Queued", "interrupted"]);
});

it("a run whose function died is failed by the job that fails executions", async () => {
  const { id } = await items.add({ function: echo, run_date_time: new Date(Date.now() - HOUR).toISOString() });
  await items.become(id, "Completed");
  const claim = { status: "Running", _claim: { id: "gone", until: new Date(Date.now() - 1_000) } };
  await stored().updateOne({ _id: id }, { $set: claim });
  await invokeOperation("reconcile-executions", {});
  expect((await items.get(id)).status).toBe("Failed");
});

it("a recurring item whose end has come is completed", async () => {
  const body = { function: echo, run_date_time: later(), schedule_expression: "rate(1 day)", enabled_until: later() };
  const { id } = await items.add({ ...body, enabled_until: new Date(Date.now() + 2 * HOUR).toISOString() });
  await stored().updateOne({ _id: id }, { $set: { enabled_until: new Date(Date.now() - 1_000) } });
  await reconcile();
  expect((await items.get(id)).status).toBe("Completed");
  expect(await items.schedule(id)).toBeUndefined();
});
