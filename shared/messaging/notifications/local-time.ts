import { boundedCache } from "#shared/foundation/bounded-cache";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** An estimate, because a format's internal tables cannot be measured. */
const formats = boundedCache<Intl.DateTimeFormat>({ mostBytes: 4 * 1024 * 1024, bytesOf: () => 32_000 });

const formatOf = (timeZone: string): Intl.DateTimeFormat => {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const numeric = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric" } as const;
  const format = new Intl.DateTimeFormat("en-US", { timeZone, hourCycle: "h23", second: "numeric", ...numeric });
  formats.set(timeZone, format);
  return format;
};

/** What local clocks show, as the milliseconds of that time in UTC. */
const localOf = (moment: number, timeZone: string): number => {
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(moment)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0;
  return Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
};

/** Minutes since midnight on local clocks. */
const minuteOfDay = (moment: Date, timeZone: string): number =>
  Math.floor((localOf(moment.getTime(), timeZone) % DAY) / MINUTE);

/** `22:30` → 1350. */
const minutesOf = (clock: string): number => {
  const [hours = 0, minutes = 0] = clock.split(":").map(Number);
  return hours * 60 + minutes;
};

/**
 * The first moment at which local clocks have shown this local time. A time that a clock change skips is the moment
 * of the change or up to the skipped time after it; of a time that comes twice it is the first one.
 */
const momentOf = (local: number, timeZone: string): number => {
  const offset = (moment: number): number => localOf(moment, timeZone) - Math.floor(moment / 1000) * 1000;
  const candidates = [local - offset(local - DAY), local - offset(local + DAY)];
  const exact = candidates.filter((moment) => localOf(moment, timeZone) === local);
  return exact.length > 0 ? Math.min(...exact) : Math.max(...candidates);
};

/** The next moment after `after` at which local clocks show this time of day. */
export const nextClockTime = (after: Date, clock: string, timeZone: string): Date => {
  const local = localOf(after.getTime(), timeZone);
  const today = local - (local % DAY) + minutesOf(clock) * MINUTE;
  for (const day of [today - DAY, today, today + DAY]) {
    const moment = momentOf(day, timeZone);
    if (moment > after.getTime()) return new Date(moment);
  }
  return new Date(after.getTime() + DAY);
};

/** The next full hour on local clocks. Some time zones are half an hour off. */
export const nextHour = (after: Date, timeZone: string): Date => {
  const minute = Math.floor(after.getTime() / MINUTE) * MINUTE;
  const past = minuteOfDay(after, timeZone) % 60;
  return new Date(minute + (60 - past) * MINUTE);
};
