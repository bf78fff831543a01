import { randomUUID } from "node:crypto";
import { join } from "node:path";
import * as z from "zod";
import type { Clock } from "../clock.ts";
import type { Authority } from "../iam/service.ts";
import type { Functions } from "../lambda/service.ts";
import { ServiceError } from "../sdk/call.ts";
import { declare, type ResourceRequest, refuse, type Service, tags } from "../service.ts";
import type { SendInName } from "../sqs/service.ts";
import { deliverer, scheduleArn } from "./deliver.ts";
import { groupArn, schedulerEndpoint } from "./operations.ts";
import { type DeclaredSchedule, declaredSchedule, scheduleName } from "./properties.ts";
import { intervalOf } from "./rate.ts";
import { recurring } from "./recurring.ts";
import { type Delivery, keyOf, openStore, type Store } from "./store.ts";
import { scheduleTimers } from "./timers.ts";

const scheduleGroup = z.strictObject({ Name: scheduleName.optional(), Tags: tags.optional() });

interface Options {
  readonly clock: Clock;
  readonly authority: Authority;
  readonly functions: Functions;
  /** Of the platform's data. */
  readonly directory: string;
  readonly sendDeadLetter: SendInName;
  readonly onDropped: (functionName: string, requestId: string, reason: string) => void;
}

/** EventBridge Scheduler: the recurring schedules of the templates, and the API with schedules of its own. */
export const scheduler = (options: Options): Service => {
  const { clock, authority, functions, onDropped } = options;
  const declared = new Map<string, { schedule: DeclaredSchedule; interval: number; request: ResourceRequest }>();
  const groups = new Map([["default", clock.now()]]);
  const cancels: (() => void)[] = [];
  const deliverTo = deliverer(options);
  let opened: Store | undefined;
  const store = (): Store => {
    opened ??= openStore(join(options.directory, "platform", "scheduler", "schedules.jsonl"));
    return opened;
  };
  let waiting: ReturnType<typeof scheduleTimers> | undefined;
  const deliver = (delivery: Delivery): void => deliverTo(delivery, () => store().write({ done: delivery.id }));
  const timers = () => {
    waiting ??= scheduleTimers({ clock, store: store(), deliver });
    return waiting;
  };

  /** Goes on with what an earlier run of the platform has left. */
  const resume = (): void => {
    const gone = [...store().schedules.values()].filter(({ group }) => !groups.has(group));
    store().write(...gone.map((one) => ({ remove: keyOf(one) })));
    for (const schedule of store().schedules.values()) timers().arm(schedule);
    for (const delivery of store().deliveries.values()) cancels.push(clock.after(0, () => deliver(delivery)));
  };

  /** Invokes the target asynchronously, in the name of the schedule's role. */
  const fire = (name: string, { Arn, RoleArn, Input }: DeclaredSchedule["Target"]): void => {
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
      "AWS::Scheduler::Schedule": declare(declaredSchedule, (properties, request) => {
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
        return { ref: name, attributes: { Arn: scheduleArn("default", name) } };
      }),
      "AWS::Scheduler::ScheduleGroup": declare(scheduleGroup, (properties, request) => {
        const name = properties.Name ?? `${request.stack}-${request.logicalId}`.slice(0, 64);
        if (groups.has(name)) return refuse(request, `the schedule group ${name} exists twice`);
        groups.set(name, clock.now());
        return { ref: name, attributes: { Arn: groupArn(name) } };
      }),
    },
    endpoint: schedulerEndpoint({ clock, authority, groups, store, timers }),
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
    opened: resume,
    stop: async () => {
      for (const cancel of cancels) cancel();
      waiting?.stop();
      opened?.close();
    },
  };
};
