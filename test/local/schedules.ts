import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  DeleteScheduleCommand,
  GetScheduleCommand,
  ListSchedulesCommand,
  SchedulerClient,
  UpdateScheduleCommand,
} from "@aws-sdk/client-scheduler";
import { expect } from "vitest";
import type { Platform } from "../../infra/local/platform.ts";
import { sdkSettings, temporaryDirectory } from "./run.ts";
import { allow, attribute, lambdaFunction, template } from "./stack.ts";

type Json = Readonly<Record<string, unknown>>;

/** A generous limit for a busy machine. */
const patiently = { timeout: 120_000, interval: 5 };

export const GROUP = "tenantry-test";
export const functionArn = (name: string): string => `arn:aws:lambda:us-east-1:000000000000:function:${name}`;
export const scheduleArn = (name: string): string =>
  `arn:aws:scheduler:us-east-1:000000000000:schedule/${GROUP}/${name}`;
export const roleArn = (name: string): string => `arn:aws:iam::000000000000:role/${name}`;

const role = (name: string, statements: Json[], service: string): Json => ({
  [name]: {
    Type: "AWS::IAM::Role",
    Properties: {
      RoleName: name,
      AssumeRolePolicyDocument: {
        Version: "2012-10-17",
        Statement: [{ Effect: "Allow", Action: "sts:AssumeRole", Principal: { Service: service } }],
      },
      Policies: [{ PolicyName: "needs", PolicyDocument: { Version: "2012-10-17", Statement: statements } }],
    },
  },
});

const targetRights = [
  allow("lambda:InvokeFunction", attribute("Job")),
  allow("sqs:SendMessage", "arn:aws:sqs:us-east-1:000000000000:lost"),
];

/** A group, and the function `Job`, which notes the id of each event in a file. `Forbidden` may not be invoked. */
export const schedulesStack = (calls: string, more: Json = {}) => ({
  schedules: template(
    lambdaFunction("Job", { handler: "task", Environment: { Variables: { CALLS: calls } } }),
    lambdaFunction("Forbidden", { handler: "task", Environment: { Variables: { CALLS: calls } } }),
    role("target", targetRights, "scheduler.amazonaws.com") as Record<string, Json>,
    role("untrusting", [], "lambda.amazonaws.com") as Record<string, Json>,
    {
      Group: { Type: "AWS::Scheduler::ScheduleGroup", Properties: { Name: GROUP } },
      Once: {
        Type: "AWS::Lambda::EventInvokeConfig",
        Properties: {
          FunctionName: { Ref: "Job" },
          Qualifier: "$LATEST",
          MaximumRetryAttempts: 0,
          MaximumEventAgeInSeconds: 300,
        },
      },
    },
    more as Record<string, Json>,
  ),
});

/** The ids of the events that `Job` was invoked with. */
export const noted = () => {
  const file = join(temporaryDirectory(), "calls");
  const ids = (): string[] => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : []);
  return { file, ids, become: (expected: string[]) => expect.poll(ids, patiently).toEqual(expected) };
};

/** The values of a schedule that a test does not care for. */
const usual = (id: string) =>
  ({
    GroupName: GROUP,
    FlexibleTimeWindow: { Mode: "OFF" },
    Target: { Arn: functionArn("Job"), RoleArn: roleArn("target"), Input: JSON.stringify({ id }) },
  }) as const;

type Values = Partial<CreateScheduleCommandInput>;

/** The API by the unmodified client of the SDK, by default as an operator. */
export const schedulerOf = (platform: Platform, settings: object = sdkSettings(platform)) => {
  const client = new SchedulerClient(settings);
  const full = (Name: string, ScheduleExpression: string, { Target, ...values }: Values) => {
    const { Target: target, ...rest } = usual(Name);
    return { ...rest, Name, ScheduleExpression, Target: { ...target, ...Target }, ...values };
  };
  return {
    client,
    create: (name: string, expression: string, values: Values = {}) =>
      client.send(new CreateScheduleCommand(full(name, expression, values))),
    update: (name: string, expression: string, values: Values = {}) =>
      client.send(new UpdateScheduleCommand(full(name, expression, values))),
    get: (Name: string) => client.send(new GetScheduleCommand({ GroupName: GROUP, Name })),
    remove: (Name: string) => client.send(new DeleteScheduleCommand({ GroupName: GROUP, Name })),
    names: async (query: { NamePrefix?: string } = {}) => {
      const { Schedules = [] } = await client.send(new ListSchedulesCommand({ GroupName: GROUP, ...query }));
      return Schedules.map(({ Name }) => Name);
    },
  };
};
