import { createHash } from "node:crypto";
import { nowMillis } from "../clock.ts";
import { env } from "../env.ts";
import { inTime } from "./in-time.ts";

/** Longer than EventBridge Scheduler usually takes to answer. */
const PATIENCE_MS = 5_000;

/** How often and how long Scheduler tries to deliver. What it gives up is in the dead-letter queue. */
const RETRIES = { MaximumRetryAttempts: 10, MaximumEventAgeInSeconds: 3_600 };

/** What Scheduler replaces in the input by the time for which it invokes the target, such as `2026-11-22T08:00:00Z`. */
export const SCHEDULED_TIME = "<aws.scheduler.scheduled-time>";

export interface ScheduleDefinition {
  /** As `scheduleName` gives it. */
  readonly name: string;
  /** The same revision of a schedule is created once, also if it is sent twice. */
  readonly revision: string;
  /** `at(…)` in UTC, `rate(…)` or `cron(…)`. */
  readonly expression: string;
  /** For `cron(…)`. UTC if it is absent. */
  readonly time_zone?: string | undefined;
  /** A recurring schedule runs from here on, at the earliest. ISO 8601. */
  readonly start?: string | undefined;
  /** A recurring schedule does not run after it. ISO 8601. */
  readonly end?: string | undefined;
  /** The event of the target, with `SCHEDULED_TIME` where the target needs it. */
  readonly input: Readonly<Record<string, unknown>>;
}

const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";

/** RFC 4648, in lower case and without padding. */
const base32 = (bytes: Uint8Array): string => {
  let text = "";
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += BASE32[(value >> bits) & 31];
    }
  }
  return bits === 0 ? text : text + BASE32[(value << (5 - bits)) & 31];
};

/** The first characters of all names, for lists. */
export const scheduleNamePrefixes: readonly string[] = [...BASE32];

/**
 * The name of a schedule: 52 characters, because a name may have 64 and an organization and a record need more. The
 * same for the same thing.
 */
export const scheduleName = (organizationId: string, kind: string, id: string): string =>
  base32(createHash("sha256").update(`${organizationId}/${kind}/${id}`).digest());

/** Loaded when it is needed, because few requests need it. */
const load = () => import("@aws-sdk/client-scheduler");

const AT = /^at\((\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\)$/;

/** The expression of a point in time. Scheduler knows whole seconds, so that it is never too early. */
export const atExpression = (time: Date): string =>
  `at(${new Date(Math.ceil(time.getTime() / 1000) * 1000).toISOString().slice(0, 19)})`;

/** A time that has passed becomes the next second: it is not documented what Scheduler does with one. */
const notInThePast = (expression: string): string => {
  const [, time] = AT.exec(expression) ?? [];
  const soonest = nowMillis() + 1;
  return time !== undefined && Date.parse(`${time}Z`) < soonest ? atExpression(new Date(soonest)) : expression;
};

/** At most 64 characters. A schedule that was deleted must not be taken for one with other values. */
const tokenOf = ({ name, revision, expression, time_zone, start, end, input }: ScheduleDefinition): string =>
  createHash("sha256")
    .update(JSON.stringify([name, revision, expression, time_zone, start, end, input]))
    .digest("hex");

/**
 * Creates the schedule, or replaces one of the same name. It deletes itself after its last run. Idempotent. The last
 * caller wins, so that callers send the revisions of a schedule one after the other.
 */
export const putSchedule = async (definition: ScheduleDefinition): Promise<void> => {
  const {
    SchedulerClient,
    CreateScheduleCommand,
    UpdateScheduleCommand,
    ConflictException,
    ResourceNotFoundException,
  } = await load();
  const client = new SchedulerClient({});
  const { name, expression, time_zone, start, end, input } = definition;
  const values = {
    GroupName: env.scheduleGroup(),
    Name: name,
    ScheduleExpression: notInThePast(expression),
    ScheduleExpressionTimezone: time_zone ?? "UTC",
    ...(start !== undefined && { StartDate: new Date(start) }),
    ...(end !== undefined && { EndDate: new Date(end) }),
    FlexibleTimeWindow: { Mode: "OFF" },
    ActionAfterCompletion: "DELETE",
    Target: {
      Arn: env.scheduleTargetArn(),
      RoleArn: env.scheduleRoleArn(),
      Input: JSON.stringify(input),
      RetryPolicy: RETRIES,
      DeadLetterConfig: { Arn: env.scheduleDeadLetterArn() },
    },
  } as const;
  const ClientToken = tokenOf({ ...definition, expression: values.ScheduleExpression });
  const send = <T>(call: (abortSignal: AbortSignal) => Promise<T>) => inTime(PATIENCE_MS, call);
  const create = () =>
    send((abortSignal) => client.send(new CreateScheduleCommand({ ...values, ClientToken }), { abortSignal }));
  const update = () => send((abortSignal) => client.send(new UpdateScheduleCommand(values), { abortSignal }));
  try {
    await create();
  } catch (error) {
    if (!(error instanceof ConflictException)) throw error;
    try {
      await update();
    } catch (late) {
      // It has run and deleted itself meanwhile.
      if (!(late instanceof ResourceNotFoundException)) throw late;
      await create();
    }
  }
};

/** Nothing happens if there is no such schedule. */
export const removeSchedule = async (name: string): Promise<void> => {
  const { SchedulerClient, DeleteScheduleCommand, ResourceNotFoundException } = await load();
  const command = new DeleteScheduleCommand({ GroupName: env.scheduleGroup(), Name: name });
  try {
    await inTime(PATIENCE_MS, (abortSignal) => new SchedulerClient({}).send(command, { abortSignal }));
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
  }
};

/** The input of a schedule, as text; undefined if there is no such schedule. */
export const scheduleInput = async (name: string): Promise<string | undefined> => {
  const { SchedulerClient, GetScheduleCommand, ResourceNotFoundException } = await load();
  const command = new GetScheduleCommand({ GroupName: env.scheduleGroup(), Name: name });
  try {
    const { Target } = await inTime(PATIENCE_MS, (abortSignal) =>
      new SchedulerClient({}).send(command, { abortSignal }),
    );
    return Target?.Input ?? "";
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
};

/** The names of all schedules that begin with the prefix, in pages. */
export async function* scheduleNames(prefix: string): AsyncGenerator<readonly string[]> {
  const { SchedulerClient, ListSchedulesCommand } = await load();
  const client = new SchedulerClient({});
  for (let NextToken: string | undefined; ; ) {
    const command = new ListSchedulesCommand({
      GroupName: env.scheduleGroup(),
      NamePrefix: prefix,
      MaxResults: 100,
      ...(NextToken !== undefined && { NextToken }),
    });
    const page = await inTime(PATIENCE_MS, (abortSignal) => client.send(command, { abortSignal }));
    yield (page.Schedules ?? []).flatMap(({ Name }) => Name ?? []);
    if (page.NextToken === undefined) return;
    NextToken = page.NextToken;
  }
}
