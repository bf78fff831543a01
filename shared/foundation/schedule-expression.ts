/** Expressions of recurring schedules, as EventBridge Scheduler reads them. */
export type ScheduleExpression =
  | { readonly kind: "rate" /** Milliseconds. */; readonly interval: number }
  | { readonly kind: "cron" };

const milliseconds = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;
const LONGEST = 256;
/** A hundred years. */
const LONGEST_RATE = 36_500 * milliseconds.day;

const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const WEEKDAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

interface Field {
  readonly from: number;
  readonly to: number;
  /** Of `from` and the values that follow it. */
  readonly names?: readonly string[];
  /** Whether values may have an increment. */
  readonly increments: boolean;
  /** What one may write instead of a list. */
  readonly special?: RegExp;
}

const fields: readonly Field[] = [
  { from: 0, to: 59, increments: true },
  { from: 0, to: 23, increments: true },
  { from: 1, to: 31, increments: true, special: /^(?:L|(?:[1-9]|[12]\d|3[01])W)$/ },
  { from: 1, to: 12, increments: true, names: MONTHS },
  {
    from: 1,
    to: 7,
    increments: false,
    names: WEEKDAYS,
    special: new RegExp(`^(?:L|(?:[1-7]|${WEEKDAYS.join("|")})(?:L|#[1-5]))$`),
  },
  { from: 1970, to: 2199, increments: true },
];
const DAY = 2;
const WEEKDAY = 4;

const numberOf = (text: string, { from, to, names = [] }: Field): number | undefined => {
  const named = names.indexOf(text);
  const value = named >= 0 ? from + named : /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  return value >= from && value <= to ? value : undefined;
};

/** One value, a range or `*`, with an increment where the field has them. */
const isItem = (text: string, field: Field): boolean => {
  const [range = "", increment, ...rest] = text.split("/");
  if (rest.length > 0) return false;
  if (increment !== undefined && !(field.increments && /^[1-9]\d{0,3}$/.test(increment))) return false;
  if (range === "*") return true;
  const [first = "", last = first, ...more] = range.split("-");
  const [from, to] = [numberOf(first, field), numberOf(last, field)];
  return more.length === 0 && from !== undefined && to !== undefined && from <= to;
};

const isField = (text: string, field: Field): boolean =>
  field.special?.test(text) === true || text.split(",").every((item) => isItem(item, field));

/** Six fields: minutes, hours, day of the month, month, day of the week (1 is Sunday), year. */
const isCron = (text: string): boolean => {
  const values = text.split(/ +/);
  // Exactly one of the two days says nothing.
  const nothing = [DAY, WEEKDAY].filter((index) => values[index] === "?");
  if (values.length !== fields.length || nothing.length !== 1) return false;
  return fields.every((field, index) => nothing.includes(index) || isField(values[index] ?? "", field));
};

const rateOf = (text: string): number | undefined => {
  const [, count, unit, plural] = /^([1-9]\d{0,9}) (minute|hour|day)(s?)$/.exec(text) ?? [];
  if (count === undefined || (plural === "s") === (count === "1")) return undefined;
  const interval = Number(count) * milliseconds[unit as keyof typeof milliseconds];
  return interval > LONGEST_RATE ? undefined : interval;
};

/**
 * What `rate(5 minutes)` or `cron(0 9 ? * MON-FRI *)` says; undefined for any other text.
 * https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html
 */
export const readScheduleExpression = (text: string): ScheduleExpression | undefined => {
  const [, kind, inner = ""] = text.length > LONGEST ? [] : (/^(rate|cron)\((.*)\)$/.exec(text) ?? []);
  if (kind === "cron") return isCron(inner) ? { kind } : undefined;
  const interval = kind === "rate" ? rateOf(inner) : undefined;
  return interval === undefined ? undefined : { kind: "rate", interval };
};
