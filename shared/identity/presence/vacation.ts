import { boundedCache } from "#shared/foundation/bounded-cache";

/** From and to, both included; each a day or a moment. */
export type Vacation = readonly [string, string];

/** A format holds its tables outside of our sight; so much is rather more than it takes. */
const formats = boundedCache<Intl.DateTimeFormat>({ mostBytes: 8 * 1024 * 1024, bytesOf: () => 32_000 });

/** `2026-08-01`: the day that it is in a time zone. */
const dayIn = (timeZone: string, at: Date): string => {
  const known = formats.get(timeZone);
  const format = known ?? new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" });
  if (known === undefined) formats.set(timeZone, format);
  return format.format(at);
};

const isDay = (bound: string): boolean => !bound.includes("T");

/** The time zone decides where days begin; moments need none. */
export const isOnVacation = ([from, to]: Vacation, at: Date, timeZone: string): boolean => {
  const begun = isDay(from) ? from <= dayIn(timeZone, at) : Date.parse(from) <= at.getTime();
  const over = isDay(to) ? to < dayIn(timeZone, at) : Date.parse(to) < at.getTime();
  return begun && !over;
};
