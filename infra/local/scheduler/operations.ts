import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { arn } from "../account.ts";
import type { Clock } from "../clock.ts";
import type { Authority } from "../iam/service.ts";
import { type SdkCall, ServiceError } from "../sdk/call.ts";
import type { SdkAnswer, SdkEndpoint } from "../service.ts";
import { scheduleArn } from "./deliver.ts";
import { scheduleBody, scheduleName } from "./properties.ts";
import { keyOf, type Store, type StoredSchedule } from "./store.ts";
import { runsOfSchedule, type scheduleTimers } from "./timers.ts";
import { isTimeZone } from "./wall-clock.ts";

interface Options {
  readonly clock: Clock;
  readonly authority: Authority;
  /** By name, with the time of their creation. */
  readonly groups: ReadonlyMap<string, number>;
  readonly store: () => Store;
  readonly timers: () => ReturnType<typeof scheduleTimers>;
}

const invalid = (message: string): ServiceError => new ServiceError("ValidationException", message);
const notFound = (what: string): ServiceError =>
  new ServiceError("ResourceNotFoundException", `${what} does not exist.`, 404);
const conflict = (message: string): ServiceError => new ServiceError("ConflictException", message, 409);

const parse = <S extends z.ZodType>(schema: S, value: unknown): z.output<S> => {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw invalid(`${issue?.path.join(".") || "The request"}: ${issue?.message}`);
};

const bodyOf = (call: SdkCall): unknown => {
  try {
    return JSON.parse(call.body === "" ? "{}" : call.body);
  } catch {
    throw invalid("The request is not JSON.");
  }
};

const listQuery = z.object({
  ScheduleGroup: z.string().optional(),
  NamePrefix: z.string().default(""),
  NextToken: z.string().default(""),
  MaxResults: z.coerce.number().int().min(1).max(100).default(100),
  State: z.enum(["ENABLED", "DISABLED"]).optional(),
});

export const groupArn = (name: string): string => arn("scheduler", `schedule-group/${name}`);

/** The API writes times in seconds. */
const seconds = (time: number): number => time / 1000;

const timesOf = ({ created, modified }: StoredSchedule) => ({
  CreationDate: seconds(created),
  LastModificationDate: seconds(modified),
});

const detailsOf = (one: StoredSchedule) => ({
  Arn: scheduleArn(one.group, one.name),
  GroupName: one.group,
  Name: one.name,
  ...(one.description !== undefined && { Description: one.description }),
  ScheduleExpression: one.expression,
  ScheduleExpressionTimezone: one.timeZone,
  ...(one.start !== undefined && { StartDate: seconds(one.start) }),
  ...(one.end !== undefined && { EndDate: seconds(one.end) }),
  State: one.state,
  ActionAfterCompletion: one.afterCompletion,
  FlexibleTimeWindow: { Mode: "OFF" },
  Target: one.target,
  ...timesOf(one),
});

const summaryOf = (one: StoredSchedule) => ({
  Arn: scheduleArn(one.group, one.name),
  GroupName: one.group,
  Name: one.name,
  State: one.state,
  Target: { Arn: one.target.Arn },
  ...timesOf(one),
});

/** The API, https://docs.aws.amazon.com/scheduler/latest/APIReference/API_Operations.html */
export const schedulerEndpoint = ({ clock, authority, groups, store, timers }: Options): SdkEndpoint => {
  const find = (group: string, name: string): StoredSchedule => {
    const found = store().schedules.get(keyOf({ group, name }));
    if (found === undefined) throw notFound(`Schedule ${name}`);
    return found;
  };

  /** The schedule of a request. Its caller must be allowed to pass the role to Scheduler. */
  const requested = (call: SdkCall, action: string, name: string): StoredSchedule => {
    const body = parse(scheduleBody, bodyOf(call));
    const { GroupName: group, Target } = body;
    call.authorize(`scheduler:${action}`, scheduleArn(group, name));
    call.authorize("iam:PassRole", Target.RoleArn, { "iam:PassedToService": "scheduler.amazonaws.com" });
    if (!groups.has(group)) throw notFound(`Schedule group ${group}`);
    if (!authority.trusts(Target.RoleArn, "scheduler.amazonaws.com")) {
      throw invalid("The execution role you provide must allow AWS EventBridge Scheduler to assume the role.");
    }
    if (!isTimeZone(body.ScheduleExpressionTimezone)) throw invalid("Invalid Schedule Expression Timezone.");
    const now = clock.now();
    const { DeadLetterConfig, ...target } = Target;
    const schedule: StoredSchedule = {
      group,
      name,
      ...(body.Description !== undefined && { description: body.Description }),
      expression: body.ScheduleExpression,
      timeZone: body.ScheduleExpressionTimezone,
      ...(body.StartDate !== undefined && { start: body.StartDate }),
      ...(body.EndDate !== undefined && { end: body.EndDate }),
      state: body.State,
      afterCompletion: body.ActionAfterCompletion,
      target: { ...target, ...(DeadLetterConfig !== undefined && { DeadLetterConfig }) },
      ...(body.ClientToken !== undefined && { token: body.ClientToken }),
      created: now,
      modified: now,
    };
    if (runsOfSchedule(schedule) === undefined) throw invalid(`Invalid Schedule Expression ${schedule.expression}.`);
    if (schedule.end !== undefined && schedule.end <= (schedule.start ?? now)) {
      throw invalid("The EndDate you specify must come after the StartDate and the current time.");
    }
    return schedule;
  };

  const keep = (schedule: StoredSchedule): unknown => {
    store().write({ put: schedule });
    timers().arm(schedule);
    return { ScheduleArn: scheduleArn(schedule.group, schedule.name) };
  };

  const create = (call: SdkCall, name: string): unknown => {
    const schedule = requested(call, "CreateSchedule", name);
    const known = store().schedules.get(keyOf(schedule));
    if (known === undefined) return keep(schedule);
    const { last: _, ...before } = known;
    const isRepeated =
      schedule.token !== undefined &&
      isDeepStrictEqual({ ...before, created: 0, modified: 0 }, { ...schedule, created: 0, modified: 0 });
    if (!isRepeated) throw conflict(`Schedule ${name} already exists.`);
    return { ScheduleArn: scheduleArn(schedule.group, name) };
  };

  const update = (call: SdkCall, name: string): unknown => {
    const schedule = requested(call, "UpdateSchedule", name);
    return keep({ ...schedule, created: find(schedule.group, name).created });
  };

  const groupOf = (call: SdkCall): string => call.query.get("groupName") ?? "default";

  const get = (call: SdkCall, name: string): unknown => {
    call.authorize("scheduler:GetSchedule", scheduleArn(groupOf(call), name));
    return detailsOf(find(groupOf(call), name));
  };

  const remove = (call: SdkCall, name: string): unknown => {
    call.authorize("scheduler:DeleteSchedule", scheduleArn(groupOf(call), name));
    const key = keyOf(find(groupOf(call), name));
    store().write({ remove: key });
    timers().disarm(key);
    return {};
  };

  const list = (call: SdkCall): unknown => {
    call.authorize("scheduler:ListSchedules", "*");
    const query = parse(listQuery, Object.fromEntries(call.query));
    const matching = [...store().schedules.values()]
      .filter(
        ({ group, name, state }) =>
          (query.ScheduleGroup ?? group) === group &&
          name.startsWith(query.NamePrefix) &&
          (query.State ?? state) === state,
      )
      .map((one) => [keyOf(one), one] as const)
      .filter(([key]) => key > query.NextToken)
      .sort(([one], [other]) => (one < other ? -1 : 1));
    const page = matching.slice(0, query.MaxResults);
    const last = page.at(-1)?.[0];
    return {
      Schedules: page.map(([, one]) => summaryOf(one)),
      ...(last !== undefined && matching.length > page.length && { NextToken: last }),
    };
  };

  const groupDetails = (name: string, created: number) => ({
    Arn: groupArn(name),
    Name: name,
    State: "ACTIVE",
    CreationDate: seconds(created),
    LastModificationDate: seconds(created),
  });

  const getGroup = (call: SdkCall, name: string): unknown => {
    call.authorize("scheduler:GetScheduleGroup", groupArn(name));
    const created = groups.get(name);
    if (created === undefined) throw notFound(`Schedule group ${name}`);
    return groupDetails(name, created);
  };

  const listGroups = (call: SdkCall): unknown => {
    call.authorize("scheduler:ListScheduleGroups", "*");
    return { ScheduleGroups: [...groups].map(([name, created]) => groupDetails(name, created)) };
  };

  const one: Readonly<Record<string, (call: SdkCall, name: string) => unknown>> = {
    "POST schedules": create,
    "PUT schedules": update,
    "GET schedules": get,
    "DELETE schedules": remove,
    "GET schedule-groups": getGroup,
  };
  const all: Readonly<Record<string, (call: SdkCall) => unknown>> = {
    "GET schedules": list,
    "GET schedule-groups": listGroups,
  };

  return {
    signingName: "scheduler",
    protocol: "rest-json",
    answer: async (call): Promise<SdkAnswer> => {
      const [collection = "", name, ...rest] = call.segments;
      const route = `${call.method} ${collection}`;
      const ofOne = name === undefined || rest.length > 0 ? undefined : one[route];
      const ofAll = name === undefined ? all[route] : undefined;
      if (ofOne === undefined && ofAll === undefined) {
        const message = `The local platform does not support ${call.method} /${call.segments.join("/")} of Scheduler.`;
        throw new ServiceError("UnknownOperationException", message, 404);
      }
      const result = ofOne === undefined ? ofAll?.(call) : ofOne(call, parse(scheduleName, name));
      return { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify(result) };
    },
  };
};
