import { billingLimits } from "#contracts/billing-bodies";
import { nowMillis } from "#shared/foundation/clock";
import { Fault, type Issue } from "#shared/foundation/faults";

const DAY_MS = 86_400_000;

export const dayOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10);

const startOf = (date: string): number => Date.parse(`${date}T00:00:00Z`);

export const addDays = (date: string, days: number): string => dayOf(startOf(date) + days * DAY_MS);

/** The last day whose usage is complete. */
export const yesterday = (): string => dayOf(nowMillis() - DAY_MS);

/** All days from the first to the last. */
export const daysBetween = (start: string, end: string): string[] => {
  const count = Math.round((startOf(end) - startOf(start)) / DAY_MS) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) => addDays(start, index));
};

interface Range {
  readonly start: string;
  readonly end: string;
}

const issue = (place: "body" | "query", name: string, msg: string): Issue => ({
  loc: [place, name],
  msg,
  type: "date_range",
});

/**
 * The asked range, or the default. Raises `validation_failed` if it is in the wrong order, too long or in the future.
 */
export const checkedRange = (
  asked: { readonly start_date?: string | undefined; readonly end_date?: string | undefined },
  place: "body" | "query",
  last: string,
  defaultDays: number,
): Range => {
  const end = asked.end_date ?? (asked.start_date !== undefined && asked.start_date > last ? asked.start_date : last);
  const fallback = asked.end_date === undefined ? addDays(end, 1 - defaultDays) : end;
  const start = asked.start_date ?? fallback;
  const issues: Issue[] = [];
  if (end > last)
    issues.push(issue(place, "end_date", `The last day may be ${last} (UTC): later ones are not complete.`));
  if (start > end) issues.push(issue(place, "start_date", "The first day must not be after the last one."));
  if (daysBetween(start, end).length > billingLimits.days) {
    issues.push(issue(place, "start_date", `At most ${billingLimits.days} days can be asked for.`));
  }
  if (issues.length > 0) throw new Fault("validation_failed", { issues });
  return { start, end };
};

/** The vendor takes events of the last 35 days (https://docs.stripe.com/api/billing/meter-event/create). */
const REPORTABLE_DAYS = 35;

export const isReportable = (at: Date): boolean => nowMillis() - at.getTime() < REPORTABLE_DAYS * DAY_MS;

/**
 * The moment of an event about a day. It is later for a later revision, so that it replaces the one before both in the
 * order of arrival and in the order of their moments.
 */
export const momentOf = (date: string, revision: number): Date => {
  const seconds = Math.min(12 * 3_600 + revision, 24 * 3_600 - 1);
  return new Date(startOf(date) + seconds * 1_000);
};
