import { nowMillis } from "#shared/foundation/clock";
import type { Issue } from "#shared/foundation/faults";
import { isObject } from "#shared/foundation/is-object";
import { readScheduleExpression } from "#shared/foundation/schedule-expression";
import { isTimeZone } from "#shared/foundation/time-zone";
import type { CheckedWrite } from "../check-rules.ts";
import { statusIssue } from "../scheduling/scheduling.ts";
import { changedValue } from "./check-code.ts";
import type { DefinitionCheck } from "./definitions.ts";

/** In bytes of JSON: what a run may be given. */
const MOST_DATA = 256 * 1024;

type Check = (write: CheckedWrite) => (Omit<Issue, "loc"> & { readonly field: string }) | undefined;

const whatRuns: Check = ({ after }) => {
  const named = ["function", "automation"].filter((name) => isObject(after?.[name]));
  if (named.length === 1) return undefined;
  const msg = "Expected what runs: either a function or an automation.";
  return { field: "function", msg, type: named.length === 0 ? "missing" : "value_error" };
};

const expression: Check = (write) => {
  const value = changedValue(write, "schedule_expression");
  if (value === undefined || (typeof value === "string" && readScheduleExpression(value) !== undefined))
    return undefined;
  const msg =
    "Expected rate(…) or cron(…) of EventBridge Scheduler, such as rate(1 hour), or cron(0 9 ? * MON-FRI *) with minutes, " +
    "hours, day of the month, month, day of the week (1 is Sunday) and year. One of the two days is a question mark.";
  return { field: "schedule_expression", msg, type: "schedule_expression", input: String(value).slice(0, 256) };
};

const timeZone: Check = (write) => {
  const value = changedValue(write, "time_zone");
  if (value === undefined || isTimeZone(value)) return undefined;
  const msg = "Expected the name of a time zone, such as Europe/Berlin.";
  return { field: "time_zone", msg, type: "time_zone", input: String(value).slice(0, 100) };
};

/** A new end must lie ahead. One that has passed ends what was queued, and is refused if the item is queued again. */
const end: Check = (write) => {
  const { after, before } = write;
  const until: unknown = after?.enabled_until;
  if (!(until instanceof Date)) return undefined;
  if (typeof after?.schedule_expression !== "string") {
    const msg = "Only an item with a schedule_expression has an end.";
    return { field: "enabled_until", msg, type: "value_error" };
  }
  const isNew = changedValue(write, "enabled_until") !== undefined || before?.status !== after.status;
  if (after.status !== "Queued" || !isNew || until.getTime() > nowMillis()) return undefined;
  return { field: "enabled_until", msg: "Expected a time that lies ahead.", type: "value_error" };
};

const data: Check = (write) => {
  const value = changedValue(write, "data");
  if (value === undefined) return undefined;
  if (!isObject(value)) return { field: "data", msg: "Expected an object.", type: "object_type" };
  if (Buffer.byteLength(JSON.stringify(value)) <= MOST_DATA) return undefined;
  return { field: "data", msg: `Expected at most ${MOST_DATA} bytes.`, type: "too_large" };
};

const status: Check = (write) => {
  const value = changedValue(write, "status");
  return value === undefined ? undefined : statusIssue(value);
};

const checks: readonly Check[] = [status, whatRuns, expression, timeZone, end, data];

/** Scheduled items. References are checked with those of all records, and the status again in the transaction. */
export const checkScheduledItems: DefinitionCheck = async (_target, writes) =>
  writes.flatMap((write): Issue[] =>
    checks.flatMap((check) => {
      const found = check(write);
      if (found === undefined) return [];
      const { field, ...issue } = found;
      return [{ loc: [...write.loc, field], ...issue }];
    }),
  );
