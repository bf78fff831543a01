const formats = new Map<string, Intl.DateTimeFormat>();

/** @throws RangeError for an unknown time zone */
const formatOf = (timeZone: string): Intl.DateTimeFormat => {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  formats.set(timeZone, format);
  return format;
};

export const isTimeZone = (name: string): boolean => {
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
};

/** What clocks in the zone show at a point in time, as milliseconds as if it were UTC. */
export const wallTime = (time: number, timeZone: string): number => {
  const whole = Math.floor(time / 1000) * 1000;
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(whole)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  return Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second"));
};

const DAY = 86_400_000;

/**
 * The first point in time at which clocks in the zone show a wall time. Undefined for a time that is skipped when
 * clocks go forward.
 */
export const firstInstant = (wall: number, timeZone: string): number | undefined =>
  [wall - DAY, wall + DAY]
    .map((near) => wall - (wallTime(near, timeZone) - near))
    .sort((one, other) => one - other)
    .find((instant) => wallTime(instant, timeZone) === wall);
