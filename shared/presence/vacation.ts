import { LRUCache } from "lru-cache";

/** From and to, both included; each a day or a moment. */
export type Vacation = readonly [string, string];

const formats = new LRUCache<string, Intl.DateTimeFormat>({ max: 500 });

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
