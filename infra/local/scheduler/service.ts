import { randomUUID } from "node:crypto";
import * as z from "zod";
import { arn } from "../account.ts";
import type { Clock } from "../clock.ts";
import type { Authority } from "../iam/service.ts";
import type { Functions } from "../lambda/service.ts";
import { ServiceError } from "../sdk/call.ts";
import { declare, type ResourceRequest, refuse, type Service } from "../service.ts";
import { intervalOf } from "./rate.ts";
import { recurring } from "./recurring.ts";

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

/** README.md says what is supported. */
const schedule = z.strictObject({
  Name: z.string().max(64).optional(),
  Description: z.string().optional(),
  GroupName: z.literal("default", "only the group default is supported").optional(),
  ScheduleExpression: z.string(),
  State: z.enum(["ENABLED", "DISABLED"]).default("ENABLED"),
  FlexibleTimeWindow: z.strictObject({ Mode: z.literal("OFF", "only OFF is supported") }),
  Target: z.strictObject({
    Arn: z.string().regex(/^arn:[\w-]+:lambda:[^:]+:\d+:function:[^:]+$/, "only Lambda functions are supported"),
    RoleArn: z.string(),
    Input: json.refine((text) => !text.includes("<aws.scheduler."), { error: "context attributes are not supported" }),
    RetryPolicy: z.strictObject({ MaximumRetryAttempts: z.literal(0, "only 0 is supported") }),
  }),
});
type Schedule = z.output<typeof schedule>;

interface Options {
  readonly clock: Clock;
  readonly authority: Authority;
  readonly functions: Functions;
  readonly onDropped: (functionName: string, requestId: string, reason: string) => void;
}

/** EventBridge Scheduler: the recurring schedules of the templates. */
export const scheduler = ({ clock, authority, functions, onDropped }: Options): Service => {
  const declared = new Map<string, { schedule: Schedule; interval: number; request: ResourceRequest }>();
  const cancels: (() => void)[] = [];

  /** Invokes the target asynchronously, in the name of the schedule's role. */
  const fire = (name: string, { Arn, RoleArn, Input }: Schedule["Target"]): void => {
    const found = functions.find(Arn);
    if (found === undefined) return;
    try {
      authority.authorize({ kind: "role", roleArn: RoleArn, session: name }, "lambda:InvokeFunction", found.arn);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      onDropped(found.name, randomUUID(), error.message);
      return;
    }
    functions.accept(found.name, Input);
  };

  return {
    name: "scheduler",
    resources: {
      "AWS::Scheduler::Schedule": declare(schedule, (properties, request) => {
        const name = properties.Name ?? `${request.stack}-${request.logicalId}`.slice(0, 64);
        if (declared.has(name)) return refuse(request, `the schedule ${name} exists twice`);
        const { ScheduleExpression, Target } = properties;
        const interval = intervalOf(ScheduleExpression);
        if (interval === undefined) {
          return refuse(request, `the expression ${ScheduleExpression} is not supported, only rate(…) is`);
        }
        if (!authority.trusts(Target.RoleArn, "scheduler.amazonaws.com")) {
          return refuse(request, `the role ${Target.RoleArn} does not let EventBridge Scheduler assume it`);
        }
        declared.set(name, { schedule: properties, interval, request });
        return { ref: name, attributes: { Arn: arn("scheduler", `schedule/default/${name}`) } };
      }),
    },
    start: () => {
      for (const [
        name,
        {
          schedule: { State, Target },
          interval,
          request,
        },
      ] of declared) {
        if (functions.find(Target.Arn) === undefined) refuse(request, `there is no function ${Target.Arn}`);
        if (State === "ENABLED") cancels.push(recurring(clock, interval, () => fire(name, Target)));
      }
    },
    stop: async () => {
      for (const cancel of cancels) cancel();
    },
  };
};
