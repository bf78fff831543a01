import * as z from "zod";

const json = z.string().refine(
  (text) => {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  },
  { error: "is not JSON" },
);

const functionArn = z
  .string()
  .regex(/^arn:[\w-]+:lambda:[^:]+:\d+:function:[^:]+$/, "only Lambda functions are supported");

const window = z.strictObject({ Mode: z.literal("OFF", "only OFF is supported") });

/** A schedule of a template. README.md says what is supported. */
export const declaredSchedule = z.strictObject({
  Name: z.string().max(64).optional(),
  Description: z.string().optional(),
  GroupName: z.literal("default", "only the group default is supported").optional(),
  ScheduleExpression: z.string(),
  State: z.enum(["ENABLED", "DISABLED"]).default("ENABLED"),
  FlexibleTimeWindow: window,
  Target: z.strictObject({
    Arn: functionArn,
    RoleArn: z.string(),
    Input: json.refine((text) => !text.includes("<aws.scheduler."), { error: "context attributes are not supported" }),
    RetryPolicy: z.strictObject({ MaximumRetryAttempts: z.literal(0, "only 0 is supported") }),
  }),
});
export type DeclaredSchedule = z.output<typeof declaredSchedule>;

/** In the API a time is a number of seconds. */
const seconds = z.number().transform((time) => Math.round(time * 1000));
const token = z.string().regex(/^[a-zA-Z0-9-_]{1,64}$/);
export const scheduleName = z.string().regex(/^[0-9a-zA-Z-_.]{1,64}$/);

/** The body of CreateSchedule and UpdateSchedule. Limits are those of AWS. */
export const scheduleBody = z.strictObject({
  GroupName: scheduleName.default("default"),
  Description: z.string().max(512).optional(),
  ScheduleExpression: z.string().min(1).max(256),
  ScheduleExpressionTimezone: z.string().min(1).max(50).default("UTC"),
  StartDate: seconds.optional(),
  EndDate: seconds.optional(),
  State: z.enum(["ENABLED", "DISABLED"]).default("ENABLED"),
  FlexibleTimeWindow: window,
  ActionAfterCompletion: z.enum(["NONE", "DELETE"]).default("NONE"),
  ClientToken: token.optional(),
  Target: z.strictObject({
    Arn: functionArn,
    RoleArn: z.string().regex(/^arn:[\w-]+:iam::\d{12}:role\/[\w+=,.@/-]+$/),
    Input: json,
    RetryPolicy: z
      .strictObject({
        MaximumEventAgeInSeconds: z.int().min(60).max(86_400).default(86_400),
        MaximumRetryAttempts: z.int().min(0).max(185).default(185),
      })
      .default({ MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 }),
    DeadLetterConfig: z
      .strictObject({ Arn: z.string().regex(/^arn:[\w-]+:sqs:[^:]+:\d+:[\w-]+$/, "only queues of SQS are supported") })
      .optional(),
  }),
});
