import { CreateScheduleCommand, DeleteScheduleCommand, GetScheduleCommand } from "@aws-sdk/client-scheduler";
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
const lose = (id: string) => scheduler.send(new DeleteScheduleCommand({ GroupName: GROUP, Name: nameOf(owner, id) }));
const stored = () => database.collection<{ _id: string }>("scheduled_item");

it("an item whose schedule was lost has one again, and runs at once if its time has passed", async () => {
  const { id: ahead } = await items.add({ function: echo, run_date_time: later() });
  const { id: behind } = await items.add({ function: echo, run_date_time: later() });
  const { id: recurring } = await items.add({
    function: echo,
    run_date_time: later(),
    schedule_expression: "rate(1 day)",
  });
  for (const id of [ahead, behind, recurring]) await lose(id);
  await stored().updateOne({ _id: behind }, { $set: { run_date_time: new Date(Date.now() - HOUR) } });
  const result = await reconcile();
  expect(result.complete).toBe(true);
  expect(result.restored).toBeGreaterThanOrEqual(3);
  expect((await items.schedule(ahead))?.ScheduleExpression).toMatch(/^at\(/);
  expect((await items.schedule(recurring))?.ScheduleExpression).toBe("rate(1 day)");
  await items.become(behind, "Completed");
});

it("a schedule without an item, or of an organization that is gone, is removed", async () => {
  const { id } = await items.add({ function: echo, run_date_time: later() });
  const found = await items.schedule(id);
  const strange = async (organization: string, record: string): Promise<string> => {
    const Name = nameOf({ organizationId: organization }, record);
    const Input = JSON.stringify({ organization, kind: "item", id: record, revision: "1", scheduled_time: "" });
    const { GroupName, ScheduleExpression, FlexibleTimeWindow, Target } = found ?? {};
    const values = { GroupName, ScheduleExpression, FlexibleTimeWindow, Name };
    await scheduler.send(
      new CreateScheduleCommand({
        ...values,
        Target: { Arn: Target?.Arn, RoleArn: Target?.RoleArn, Input },
      }),
    );
    return Name;
  };
  const names = [await strange(owner.organizationId, "nothing"), await strange("org_0000000000000000", "nothing")];
  await stored().updateOne({ _id: id }, { $set: { status: "Completed" } });
  expect((await reconcile()).removed).toBeGreaterThanOrEqual(3);
  for (const Name of [...names, nameOf(owner, id)]) {
    const present = scheduler.send(new GetScheduleCommand({ GroupName: GROUP, Name }));
    await expect(present).rejects.toMatchObject({ name: "ResourceNotFoundException" });
  }
});

it("schedules and items that belong together stay as they are", async () => {
  const { id } = await items.add({ function: echo, run_date_time: later() });
  const before = await items.schedule(id);
  await reconcile();
  const after = await items.schedule(id);
  expect(after?.LastModificationDate).toEqual(before?.LastModificationDate);
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
  await stored().updateMany({ _id: { $in: [id, other, recurring] } }, { $set: claim });
  expect(await deliver(owner, { id: other, revision: 1 })).toBe("dropped");
  expect((await items.get(other)).status).toBe("Failed");
  expect((await reconcile()).ended).toBeGreaterThanOrEqual(2);
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
