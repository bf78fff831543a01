import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { scheduleApp } from "../infra/schedule-stack.ts";
import { fakeClock } from "./fake-clock.ts";
import { runForTest, temporaryDirectory } from "./run.ts";
import { allow, attribute, lambdaFunction, template } from "./stack.ts";

type Json = Readonly<Record<string, unknown>>;

const MINUTE = 60_000;
/** A generous limit for a busy machine. */
const patiently = { timeout: 120_000, interval: 5 };

const role = (statements: Json[], service = "scheduler.amazonaws.com"): Json => ({
  Type: "AWS::IAM::Role",
  Properties: {
    AssumeRolePolicyDocument: {
      Version: "2012-10-17",
      Statement: [{ Effect: "Allow", Action: "sts:AssumeRole", Principal: { Service: service } }],
    },
    Policies: [{ PolicyName: "invoke", PolicyDocument: { Version: "2012-10-17", Statement: statements } }],
  },
});

const schedule = (input: Json, properties: Json = {}, target: Json = {}): Json => ({
  Type: "AWS::Scheduler::Schedule",
  Properties: {
    ScheduleExpression: "rate(5 minutes)",
    FlexibleTimeWindow: { Mode: "OFF" },
    Target: {
      Arn: attribute("Job"),
      RoleArn: attribute("ScheduleRole"),
      Input: JSON.stringify(input),
      RetryPolicy: { MaximumRetryAttempts: 0 },
      ...target,
    },
    ...properties,
  },
});

/** Schedules of the function `Job`, which notes the id of each event. `Other` may not be invoked. */
const stackOf = (schedules: Readonly<Record<string, Json>>, calls = "") => ({
  schedules: template(
    lambdaFunction("Job", { handler: "task", Environment: { Variables: { CALLS: calls } } }),
    lambdaFunction("Other", { handler: "task" }),
    {
      ScheduleRole: role([allow("lambda:InvokeFunction", attribute("Job"))]),
      LambdaRole: role([], "lambda.amazonaws.com"),
      Once: {
        Type: "AWS::Lambda::EventInvokeConfig",
        Properties: {
          FunctionName: { Ref: "Job" },
          Qualifier: "$LATEST",
          MaximumRetryAttempts: 0,
          MaximumEventAgeInSeconds: 300,
        },
      },
      ...schedules,
    },
  ),
});

const noted = () => {
  const file = join(temporaryDirectory(), "calls");
  const ids = (): string[] => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : []);
  return { file, ids, become: (expected: string[]) => expect.poll(ids, patiently).toEqual(expected) };
};

test("a schedule runs its function one interval after the start, and then at each interval", async () => {
  const clock = fakeClock();
  const calls = noted();
  const often = schedule({ id: "five" });
  const seldom = schedule({ id: "hour" }, { ScheduleExpression: "rate(1 hour)" });
  const disabled = schedule({ id: "never" }, { ScheduleExpression: "rate(1 minute)", State: "DISABLED" });
  await runForTest(stackOf({ often, seldom, disabled }, calls.file), { clock });
  clock.advance(5 * MINUTE - 1);
  expect(calls.ids()).toEqual([]);
  clock.advance(1);
  await calls.become(["five"]);
  clock.advance(5 * MINUTE);
  await calls.become(["five", "five"]);
  clock.advance(49 * MINUTE);
  await expect.poll(() => calls.ids().length, patiently).toBe(11);
  clock.advance(MINUTE);
  await expect.poll(() => calls.ids().length, patiently).toBe(13);
  expect(calls.ids().filter((id) => id === "hour")).toEqual(["hour"]);
});

test("a stop of the platform ends a schedule, and the runs that it missed are not made up for", async () => {
  const clock = fakeClock();
  const calls = noted();
  const stack = stackOf({ often: schedule({ id: "five" }) }, calls.file);
  const first = await runForTest(stack, { clock });
  clock.advance(5 * MINUTE);
  await calls.become(["five"]);
  clock.advance(4 * MINUTE);
  await first.stop();
  clock.advance(600 * MINUTE);
  await runForTest(stack, { clock, dataDir: first.dataDir });
  clock.advance(5 * MINUTE - 1);
  expect(calls.ids()).toEqual(["five"]);
  clock.advance(1);
  await calls.become(["five", "five"]);
});

test("a run that fails is dropped without another attempt, and the next run begins at its time", async () => {
  const clock = fakeClock();
  const calls = noted();
  const failing = schedule({ id: "failing", fail: "conflict" });
  const { entries } = await runForTest(stackOf({ failing }, calls.file), { clock });
  const dropped = () => entries.filter(({ kind }) => kind === "dropped");
  clock.advance(5 * MINUTE);
  const reason = "the event failed once";
  await expect.poll(dropped, patiently).toMatchObject([{ function: "Job", reason }]);
  clock.advance(4 * MINUTE);
  expect(calls.ids()).toEqual(["failing"]);
  clock.advance(MINUTE);
  await calls.become(["failing", "failing"]);
});

test("a function that the role of the schedule may not invoke does not run, and the denial is reported", async () => {
  const clock = fakeClock();
  const denied = schedule({ id: "denied" }, { Name: "denied" }, { Arn: attribute("Other") });
  const { entries, logs } = await runForTest(stackOf({ denied }), { clock, verbose: true });
  clock.advance(5 * MINUTE);
  expect(entries).toEqual([
    expect.objectContaining({
      kind: "dropped",
      function: "Other",
      reason: expect.stringMatching(
        /schedules-ScheduleRole\/denied is not authorized to perform: lambda:InvokeFunction/,
      ),
    }),
  ]);
  expect(logs("Other")).toEqual([]);
});

describe("a schedule with a feature that is not supported stops the start and is named", () => {
  test.each<[string, Json, Json?]>([
    ["the expression at(2026-11-22T08:00:00) is not supported", { ScheduleExpression: "at(2026-11-22T08:00:00)" }],
    ["the expression cron(0 8 * * ? *) is not supported", { ScheduleExpression: "cron(0 8 * * ? *)" }],
    ["the expression rate(1 minutes) is not supported", { ScheduleExpression: "rate(1 minutes)" }],
    ["the expression rate(5 minute) is not supported", { ScheduleExpression: "rate(5 minute)" }],
    ["the expression rate(0 minutes) is not supported", { ScheduleExpression: "rate(0 minutes)" }],
    ["FlexibleTimeWindow.Mode: only OFF", { FlexibleTimeWindow: { Mode: "FLEXIBLE", MaximumWindowInMinutes: 5 } }],
    ["StartDate", { StartDate: "2026-11-22T08:00:00Z" }],
    ["KmsKeyArn", { KmsKeyArn: "arn:aws:kms:us-east-1:000000000000:key/one" }],
    ["GroupName: only the group default", { GroupName: "other" }],
    ["Target.Arn: only Lambda functions", {}, { Arn: "arn:aws:scheduler:::aws-sdk:sqs:sendMessage" }],
    ["there is no function", {}, { Arn: "arn:aws:lambda:us-east-1:000000000000:function:Nobody" }],
    ["Target.Input: is not JSON", {}, { Input: "text" }],
    ["Target.Input: context attributes", {}, { Input: '{"at":"<aws.scheduler.scheduled-time>"}' }],
    ["DeadLetterConfig", {}, { DeadLetterConfig: { Arn: "arn:aws:sqs:us-east-1:000000000000:lost" } }],
    ["RetryPolicy.MaximumRetryAttempts: only 0", {}, { RetryPolicy: { MaximumRetryAttempts: 3 } }],
    ["does not let EventBridge Scheduler assume it", {}, { RoleArn: attribute("LambdaRole") }],
  ])("%s", async (message, properties, target) => {
    await expect(runForTest(stackOf({ Wrong: schedule({}, properties, target) }))).rejects.toThrow(message);
  });
});

test("a job declared in CDK runs here from its template", async () => {
  const clock = fakeClock();
  const { app } = scheduleApp(join(import.meta.dirname, "handlers", "probe"));
  const { templateFullPath } = app.synth().getStackByName("example");
  const names = ["alarm-topic-arn", "api-endpoint", "mongodb-secret-arn"];
  const parameter = (name: string) => ({
    Type: "AWS::SSM::Parameter",
    Properties: { Name: `/tenantry/dev/${name}`, Type: "String", Value: name },
  });
  const shared = { Resources: Object.fromEntries(names.map((name, index) => [`Value${index}`, parameter(name)])) };
  const example: unknown = JSON.parse(readFileSync(templateFullPath, "utf8"));
  const platform = await runForTest({ shared, example }, { clock });
  expect(platform.environments("tenantry-dev-sweep")).toBe(0);
  clock.advance(5 * MINUTE);
  await expect.poll(() => platform.environments("tenantry-dev-sweep"), patiently).toBe(1);
});
