import { MongoFault } from "../foundation/fault.ts";

/** The offset of a zone's local time from UTC at an instant, in milliseconds. */
export type Zone = (ms: number) => number;

export const utc: Zone = () => 0;

const known = new Map<string, Zone>();

/** An IANA name, or an offset such as "+05:30", "+0530" or "+03". */
export function zoneNamed(name: string): Zone {
  let zone = known.get(name);
  if (zone === undefined) {
    zone = makeZone(name);
    known.set(name, zone);
  }
  return zone;
}

function makeZone(name: string): Zone {
  if (name === "UTC" || name === "GMT" || name === "Z") return utc;
  const offset = /^([+-])(\d{2})(?::?(\d{2}))?$/.exec(name);
  if (offset !== null) {
    const ms = (Number(offset[2]) * 60 + Number(offset[3] ?? 0)) * 60_000;
    return () => (offset[1] === "-" ? -ms : ms);
  }
  let format: Intl.DateTimeFormat;
  try {
    if (!/^[A-Za-z]/.test(name)) throw new RangeError(name);
    format = new Intl.DateTimeFormat("en-US", {
      timeZone: name,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      era: "short",
    });
  } catch {
    throw new MongoFault("Location40485", `unrecognized time zone identifier: "${name}"`);
  }
  // Offsets change only at whole quarters of an hour, so one result is valid for fifteen minutes.
  const cache = new Map<number, number>();
  return (ms) => {
    const slot = Math.floor(ms / 900_000);
    let found = cache.get(slot);
    if (found === undefined) {
      found = measure(format, slot * 900_000);
      if (cache.size > 10_000) cache.clear();
      cache.set(slot, found);
    }
    return found;
  };
}

function measure(format: Intl.DateTimeFormat, ms: number): number {
  const parts: Record<string, string> = {};
  for (const { type, value } of format.formatToParts(ms)) parts[type] = value;
  const year = parts.era?.startsWith("B") ? 1 - Number(parts.year) : Number(parts.year);
  const local = new Date(0);
  local.setUTCFullYear(year, Number(parts.month) - 1, Number(parts.day));
  local.setUTCHours(Number(parts.hour), Number(parts.minute), Number(parts.second));
  return local.getTime() - ms;
}

/** The instant of a local time in a zone. A local time that a clock change skips moves forward by the change. */
export function toInstant(local: number, zone: Zone): number {
  const before = zone(local - 86_400_000);
  const first = local - before;
  if (zone(first) === before) return first;
  const second = local - zone(local + 86_400_000);
  return zone(second) === local - second ? second : first;
}
