import { GetScheduleGroupCommand, ListSchedulesCommand } from "@aws-sdk/client-scheduler";
import { GetQueueUrlCommand, ReceiveMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fakeClock } from "./fake-clock.ts";
import { functionCaller } from "./function-caller.ts";
import { type Running, run, runForTest, sdkSettings } from "./run.ts";
import { functionArn, GROUP, noted, roleArn, scheduleArn, schedulerOf, schedulesStack } from "./schedules.ts";
import { allow, lambdaFunction } from "./stack.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const started = async (time: string) => {
  const clock = fakeClock(Date.parse(time));
  const calls = noted();
  const platform = await runForTest(schedulesStack(calls.file), { clock });
  return { clock, calls, platform, api: schedulerOf(platform) };
};

/** The input of a schedule whose calls are noted by the time for which they were made. */
const byTime = { Target: { Input: '{"id":"<aws.scheduler.scheduled-time>"}' } as never };

describe("a one-time schedule", () => {
  test("invokes its target at its time in its time zone, and deletes itself only if it was told to", async () => {
    const { clock, calls, api } = await started("2026-11-22T08:00:00Z");
    await api.create("kept", "at(2026-11-22T09:30:00)", { ScheduleExpressionTimezone: "Europe/Berlin" });
    await api.create("deleted", "at(2026-11-22T08:40:00)", { ActionAfterCompletion: "DELETE" });
    await api.create("disabled", "at(2026-11-22T08:40:00)", { State: "DISABLED" });
    clock.advance(30 * MINUTE - 1);
    expect(calls.ids()).toEqual([]);
    clock.advance(1);
    await calls.become(["kept"]);
    clock.advance(10 * MINUTE);
    await calls.become(["kept", "deleted"]);
    expect(await api.names()).toEqual(["disabled", "kept"]);
    clock.advance(24 * HOUR);
    expect(calls.ids()).toEqual(["kept", "deleted"]);
  });

  test("whose time has passed runs at once", async () => {
    const { clock, calls, api } = await started("2026-11-22T08:00:00Z");
    await api.create("late", "at(2026-11-21T08:00:00)", { ActionAfterCompletion: "DELETE" });
    clock.advance(0);
    await calls.become(["late"]);
    expect(await api.names()).toEqual([]);
  });

  test("that is updated runs at its new time only, and one that is deleted does not run", async () => {
    const { clock, calls, api } = await started("2026-11-22T08:00:00Z");
    await api.create("moved", "at(2026-11-22T08:10:00)");
    await api.create("removed", "at(2026-11-22T08:10:00)");
    await api.update("moved", "at(2026-11-22T08:20:00)", { Target: { Input: '{"id":"second"}' } as never });
    await api.remove("removed");
    clock.advance(20 * MINUTE - 1);
    expect(calls.ids()).toEqual([]);
    clock.advance(1);
    await calls.become(["second"]);
  });
});

describe("a recurring schedule", () => {
  test("with a rate runs at once or from its start on, and until its end", async () => {
    const { clock, calls, api } = await started("2026-11-22T08:00:00Z");
    await api.create("bounded", "rate(5 minutes)", {
      ...byTime,
      StartDate: new Date("2026-11-22T08:07:00Z"),
      EndDate: new Date("2026-11-22T08:14:00Z"),
      ActionAfterCompletion: "DELETE",
    });
    await api.create("once", "rate(1 day)", { EndDate: new Date("2026-11-22T20:00:00Z") });
    clock.advance(0);
    await calls.become(["once"]);
    clock.advance(7 * MINUTE);
    await calls.become(["once", "2026-11-22T08:07:00Z"]);
    clock.advance(5 * MINUTE);
    await calls.become(["once", "2026-11-22T08:07:00Z", "2026-11-22T08:12:00Z"]);
    clock.advance(HOUR);
    expect(calls.ids()).toHaveLength(3);
    expect(await api.names()).toEqual(["once"]);
  });

  /** Expression, time zone, the start, and the runs that follow. Written out from AWS's description of the syntax. */
  test.each<[string, string, string, string[]]>([
    ["cron(0 10 * * ? *)", "UTC", "2026-11-22T08:00:00Z", ["2026-11-22T10:00:00Z", "2026-11-23T10:00:00Z"]],
    ["cron(15 12 ? * MON-FRI 2026)", "UTC", "2026-11-22T08:00:00Z", ["2026-11-23T12:15:00Z", "2026-11-24T12:15:00Z"]],
    ["cron(0 8 1 * ? *)", "UTC", "2026-11-22T08:00:00Z", ["2026-12-01T08:00:00Z", "2027-01-01T08:00:00Z"]],
    ["cron(1/10 9 ? * 1 *)", "UTC", "2026-11-21T08:00:00Z", ["2026-11-22T09:01:00Z", "2026-11-22T09:11:00Z"]],
    ["cron(0 9 ? * 7 *)", "UTC", "2026-11-22T08:00:00Z", ["2026-11-28T09:00:00Z", "2026-12-05T09:00:00Z"]],
    ["cron(0 9 ? * L *)", "UTC", "2026-11-22T08:00:00Z", ["2026-11-28T09:00:00Z", "2026-12-05T09:00:00Z"]],
    ["cron(15 10 ? * 6L 2026-2027)", "UTC", "2026-11-22T08:00:00Z", ["2026-11-27T10:15:00Z", "2026-12-25T10:15:00Z"]],
    ["cron(0 9 ? * 2#1 *)", "UTC", "2026-11-22T08:00:00Z", ["2026-12-07T09:00:00Z", "2027-01-04T09:00:00Z"]],
    ["cron(0 9 L * ? *)", "UTC", "2026-11-22T08:00:00Z", ["2026-11-30T09:00:00Z", "2026-12-31T09:00:00Z"]],
    ["cron(0 9 15W * ? *)", "UTC", "2026-11-10T08:00:00Z", ["2026-11-16T09:00:00Z", "2026-12-15T09:00:00Z"]],
    ["cron(0 0 29 FEB ? *)", "UTC", "2026-11-22T08:00:00Z", ["2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z"]],
    ["cron(0 9 * * ? *)", "Asia/Tokyo", "2026-11-22T08:00:00Z", ["2026-11-23T00:00:00Z", "2026-11-24T00:00:00Z"]],
    // Clocks go forward on 2026-03-29 at 02:00: that day has no 02:30.
    ["cron(30 2 * * ? *)", "Europe/Berlin", "2026-03-27T12:00:00Z", ["2026-03-28T01:30:00Z", "2026-03-30T00:30:00Z"]],
    ["cron(0 3 * * ? *)", "Europe/Berlin", "2026-03-28T12:00:00Z", ["2026-03-29T01:00:00Z", "2026-03-30T01:00:00Z"]],
    // Clocks go back on 2026-10-25 at 03:00: 02:30 comes twice.
    ["cron(30 2 * * ? *)", "Europe/Berlin", "2026-10-24T12:00:00Z", ["2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z"]],
    ["cron(0 9 * * ? *)", "Europe/Berlin", "2026-10-24T05:00:00Z", ["2026-10-24T07:00:00Z", "2026-10-25T08:00:00Z"]],
  ])("%s in %s from %s on", async (expression, zone, start, expected) => {
    const { clock, calls, api } = await started(start);
    await api.create("cron", expression, { ...byTime, ScheduleExpressionTimezone: zone });
    for (const time of expected) {
      const due = Date.parse(time) - clock.now();
      clock.advance(due - 1);
      clock.advance(1);
      await expect.poll(() => calls.ids().at(-1), { timeout: 120_000, interval: 5 }).toBe(time);
    }
    expect(calls.ids()).toEqual(expected);
  });
});

test("context attributes in the input are replaced for each run", async () => {
  const { clock, calls, api } = await started("2026-11-22T08:00:00Z");
  const Input = '{"id":"<aws.scheduler.schedule-arn> <aws.scheduler.scheduled-time> <aws.scheduler.attempt-number>"}';
  await api.create("described", "at(2026-11-22T08:10:00)", { Target: { Input } as never });
  clock.advance(HOUR);
  await calls.become([`${scheduleArn("described")} 2026-11-22T08:10:00Z 1`]);
});

describe("the API", () => {
  let platform: Running;
  let api: ReturnType<typeof schedulerOf>;
  const writer = lambdaFunction("Writer", {
    statements: [
      allow("scheduler:*", `arn:aws:scheduler:us-east-1:000000000000:schedule/${GROUP}/*`),
      allow("iam:PassRole", roleArn("target"), { StringEquals: { "iam:PassedToService": "scheduler.amazonaws.com" } }),
    ],
  });
  const passer = lambdaFunction("Passer", { statements: [allow("iam:PassRole", roleArn("target"))] });
  const elsewhere = lambdaFunction("Elsewhere", {
    statements: [
      allow("scheduler:*", "*"),
      allow("iam:PassRole", roleArn("target"), { StringEquals: { "iam:PassedToService": "lambda.amazonaws.com" } }),
    ],
  });
  beforeAll(async () => {
    platform = await run(schedulesStack(noted().file, { ...writer, ...passer, ...elsewhere }), { clock: fakeClock() });
    api = schedulerOf(platform);
  });
  afterAll(() => platform.stop());

  test("gives a schedule as it was created and updated", async () => {
    const values = {
      Description: "one",
      ScheduleExpressionTimezone: "Europe/Berlin",
      StartDate: new Date("2026-11-22T08:00:00Z"),
      EndDate: new Date("2027-11-22T08:00:00Z"),
      ActionAfterCompletion: "DELETE",
    } as const;
    expect((await api.create("shown", "cron(0 9 * * ? *)", values)).ScheduleArn).toBe(scheduleArn("shown"));
    const first = await api.get("shown");
    expect(first).toMatchObject({
      ...values,
      Arn: scheduleArn("shown"),
      GroupName: GROUP,
      Name: "shown",
      ScheduleExpression: "cron(0 9 * * ? *)",
      State: "ENABLED",
      FlexibleTimeWindow: { Mode: "OFF" },
      Target: {
        Arn: functionArn("Job"),
        RoleArn: roleArn("target"),
        Input: '{"id":"shown"}',
        RetryPolicy: { MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 },
      },
      CreationDate: new Date("2026-03-12T19:03:58Z"),
    });
    await api.update("shown", "rate(1 hour)", { Target: { RetryPolicy: { MaximumRetryAttempts: 3 } } as never });
    const second = await api.get("shown");
    expect([second.ScheduleExpression, second.Description, second.StartDate, second.ActionAfterCompletion]).toEqual([
      "rate(1 hour)",
      undefined,
      undefined,
      "NONE",
    ]);
    expect(second.Target?.RetryPolicy).toEqual({ MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 3 });
    const group = await api.client.send(new GetScheduleGroupCommand({ Name: GROUP }));
    expect([group.State, group.Arn]).toEqual(["ACTIVE", expect.stringMatching(/:schedule-group\/tenantry-test$/)]);
  });

  test("lists schedules by prefix and in pages", async () => {
    for (const name of ["page-c", "page-a", "page-b"]) await api.create(name, "rate(1 day)");
    expect(await api.names({ NamePrefix: "page-" })).toEqual(["page-a", "page-b", "page-c"]);
    const query = { GroupName: GROUP, NamePrefix: "page-", MaxResults: 2 };
    const first = await api.client.send(new ListSchedulesCommand(query));
    const rest = await api.client.send(new ListSchedulesCommand({ ...query, NextToken: first.NextToken }));
    expect([first.Schedules?.length, rest.Schedules?.map(({ Name }) => Name), rest.NextToken]).toEqual([
      2,
      ["page-c"],
      undefined,
    ]);
  });

  test("creates a schedule once for one client token, and refuses its name for anything else", async () => {
    const token = { ClientToken: "one" };
    const first = await api.create("named", "rate(1 hour)", token);
    expect((await api.create("named", "rate(1 hour)", token)).ScheduleArn).toBe(first.ScheduleArn);
    const conflict = { name: "ConflictException", $metadata: { httpStatusCode: 409 } };
    await expect(api.create("named", "rate(2 hours)", token)).rejects.toMatchObject(conflict);
    await expect(api.create("named", "rate(1 hour)", { ClientToken: "two" })).rejects.toMatchObject(conflict);
    await expect(api.create("named", "rate(1 hour)", { ClientToken: undefined })).rejects.toMatchObject(conflict);
  });

  test("answers ResourceNotFoundException for unknown schedules and groups", async () => {
    const missing = { name: "ResourceNotFoundException", $metadata: { httpStatusCode: 404 } };
    await expect(api.get("unknown")).rejects.toMatchObject(missing);
    await expect(api.remove("unknown")).rejects.toMatchObject(missing);
    await expect(api.update("unknown", "rate(1 hour)")).rejects.toMatchObject(missing);
    await expect(api.create("any", "rate(1 hour)", { GroupName: "unknown" })).rejects.toMatchObject(missing);
  });

  test.each<[string, object]>([
    ["at(2026-02-30T08:00:00)", {}],
    ["at(2026-11-22T08:00)", {}],
    ["rate(1 minutes)", {}],
    ["cron(0 10 * * * *)", {}],
    ["cron(0 10 ? * ? *)", {}],
    ["cron(0 10 * * ?)", {}],
    ["cron(60 10 * * ? *)", {}],
    ["cron(0 10 ? * 0 *)", {}],
    ["cron(0 10 ? * MON/2 *)", {}],
    ["cron(0 10 ? * 2#6 *)", {}],
    ["cron(0 10 * * ? 2200)", {}],
    ["cron(0 10 LW * ? *)", {}],
    ["every day", {}],
    ["rate(1 hour)", { ScheduleExpressionTimezone: "Mars/Olympus" }],
    ["rate(1 hour)", { EndDate: new Date("2020-01-01T00:00:00Z") }],
    ["rate(1 hour)", { Name: "with blanks" }],
    ["rate(1 hour)", { FlexibleTimeWindow: { Mode: "FLEXIBLE", MaximumWindowInMinutes: 5 } }],
    ["rate(1 hour)", { Target: { Input: "text" } }],
    ["rate(1 hour)", { Target: { RoleArn: roleArn("untrusting") } }],
    ["rate(1 hour)", { Target: { Arn: "arn:aws:scheduler:::aws-sdk:sqs:sendMessage" } }],
  ])("refuses %s with %o", async (expression, values) => {
    await expect(api.create("invalid", expression, values)).rejects.toMatchObject({
      name: "ValidationException",
      $metadata: { httpStatusCode: 400 },
    });
    expect(await api.names({ NamePrefix: "invalid" })).toEqual([]);
  });

  test("checks the caller's rights on the schedule, on lists and on passing the role", async () => {
    const caller = functionCaller(platform);
    const denied = (action: string) => ({
      name: "AccessDeniedException",
      message: expect.stringContaining(`is not authorized to perform: ${action} on resource`),
    });
    const writing = schedulerOf(platform, await caller.as("Writer"));
    await writing.create("own", "rate(1 hour)");
    await expect(writing.create("own", "rate(1 hour)", { GroupName: "default" })).rejects.toMatchObject(
      denied("scheduler:CreateSchedule"),
    );
    await expect(writing.names()).rejects.toMatchObject(denied("scheduler:ListSchedules"));
    const other = { Target: { RoleArn: roleArn("untrusting") } as never };
    await expect(writing.update("own", "rate(1 hour)", other)).rejects.toMatchObject(denied("iam:PassRole"));
    const passing = schedulerOf(platform, await caller.as("Passer"));
    await expect(passing.get("own")).rejects.toMatchObject(denied("scheduler:GetSchedule"));
    await expect(passing.remove("own")).rejects.toMatchObject(denied("scheduler:DeleteSchedule"));
    const wrong = schedulerOf(platform, await caller.as("Elsewhere"));
    await expect(wrong.create("another", "rate(1 hour)")).rejects.toMatchObject(denied("iam:PassRole"));
  });
});

test("what cannot be delivered is in the dead-letter queue, with the reason, and is reported", async () => {
  const clock = fakeClock(Date.parse("2026-11-22T08:00:00Z"));
  const calls = noted();
  const queue = { Lost: { Type: "AWS::SQS::Queue", Properties: { QueueName: "lost" } } };
  const platform = await runForTest(schedulesStack(calls.file, queue), { clock });
  const api = schedulerOf(platform);
  const lost = (name: string) => ({ DeadLetterConfig: { Arn: `arn:aws:sqs:us-east-1:000000000000:${name}` } });
  const at = "at(2026-11-22T08:10:00)";
  await api.create("denied", at, { Target: { Arn: functionArn("Forbidden"), ...lost("lost") } as never });
  await api.create("nowhere", at, { Target: { Arn: functionArn("Forbidden"), ...lost("other") } as never });
  clock.advance(HOUR);
  const reasons = platform.entries.map((entry) => ("reason" in entry ? entry.reason : ""));
  expect(reasons).toEqual([
    expect.stringContaining("lambda:InvokeFunction"),
    expect.stringContaining("lambda:InvokeFunction"),
    expect.stringContaining("sqs:SendMessage"),
  ]);
  expect(calls.ids()).toEqual([]);
  const client = new SQSClient(sdkSettings(platform));
  const { QueueUrl } = await client.send(new GetQueueUrlCommand({ QueueName: "lost" }));
  const receive = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, MessageAttributeNames: ["All"] });
  const { Messages = [] } = await client.send(receive);
  expect(Messages.map(({ Body }) => Body)).toEqual(['{"id":"denied"}']);
  expect(Messages[0]?.MessageAttributes).toMatchObject({
    ERROR_CODE: { StringValue: "AccessDeniedException" },
    SCHEDULE_ARN: { StringValue: scheduleArn("denied") },
    TARGET_ARN: { StringValue: functionArn("Forbidden") },
  });
});
