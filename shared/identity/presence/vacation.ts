import { boundedCache } from "#shared/foundation/bounded-cache";

/** From and to, both included. Each is a day or a moment. */
export type Vacation = readonly [string, string];

/** The memory of a format cannot be measured; 32 KB is an upper estimate. */
const formats = boundedCache<Intl.DateTimeFormat>({ mostBytes: 8 * 1024 * 1024, bytesOf: () => 32_000 });

/** The current day in a time zone, such as `2026-08-01`. */
const dayIn = (timeZone: string, at: Date): string => {
  const known = formats.get(timeZone);
  const format = known ?? new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" });
  if (known === undefined) formats.set(timeZone, format);
  return format.format(at);
};

const isDay = (bound: string): boolean => !bound.includes("T");

/** The time zone decides when a day begins. Moments do not depend on it. */
export const isOnVacation = ([from, to]: Vacation, at: Date, timeZone: string): boolean => {
  const begun = isDay(from) ? from <= dayIn(timeZone, at) : Date.parse(from) <= at.getTime();
  const over = isDay(to) ? to < dayIn(timeZone, at) : Date.parse(to) < at.getTime();
  return begun && !over;
};
