import { MongoFault } from "../foundation/fault.ts";
import { timeOf, utcTime } from "./date-arguments.ts";
import { months } from "./date-format.ts";

export interface ParsedDate {
  readonly local: number;
  /** Minutes; undefined if the text names no zone. */
  readonly offset: number | undefined;
}

const isoText =
  /^\s*(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)?\s*(Z|[+-]\d{2}(?::?\d{2})?)?\s*$/i;

/** ISO 8601. MongoDB also guesses other forms; here they are refused. */
export function parseIso(text: string): ParsedDate | undefined {
  const match = isoText.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour = "0", minute = "0", second = "0", fraction = "0", zone] = match;
  const ms = Math.trunc(Number(`0.${fraction}`) * 1000 + 1e-6);
  const time = [Number(hour), Number(minute), Number(second), ms];
  return checked(
    [Number(year), Number(month), Number(day)],
    time,
    zone === undefined ? undefined : offsetMinutes(zone),
  );
}

function offsetMinutes(text: string): number {
  if (text.toUpperCase() === "Z") return 0;
  const minutes = Number(text.slice(1, 3)) * 60 + Number(text.slice(3).replace(":", "") || 0);
  return text.startsWith("-") ? -minutes : minutes;
}

type Numbers = readonly [number, number, number];

function checked(
  [year, month, day]: Numbers,
  time: readonly number[],
  offset: number | undefined,
): ParsedDate | undefined {
  const [hour = 0, minute = 0, second = 0] = time;
  if (month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59) return undefined;
  if (day > new Date(utcTime(year, month, 0)).getUTCDate()) return undefined;
  return { local: utcTime(year, month - 1, day) + timeOf(time), offset };
}

const patterns: Record<string, string> = {
  Y: "(\\d{4})",
  m: "(\\d{1,2})",
  d: "(\\d{1,2})",
  H: "(\\d{1,2})",
  M: "(\\d{1,2})",
  S: "(\\d{1,2})",
  L: "(\\d{1,3})",
  z: "(Z|[+-]\\d{2}:?\\d{2})",
  Z: "([+-]?\\d{1,3})",
  j: "(\\d{1,3})",
  b: "([A-Za-z]{3})",
  B: "([A-Za-z]+)",
};

export function parseWith(text: string, format: string): ParsedDate | undefined {
  const letters: string[] = [];
  const source = format.replace(/%(.?)|[\\^$.*+?()[\]{}|]/gs, (all: string, letter: string | undefined) => {
    if (!all.startsWith("%")) return `\\${all}`;
    if (letter === "%") return "%";
    const pattern = patterns[letter ?? ""];
    if (pattern === undefined)
      throw new MongoFault("Location18536", `Invalid format character '%${letter}' in format string`);
    letters.push(letter as string);
    return pattern;
  });
  const match = new RegExp(`^${source}$`).exec(text);
  if (match === null) return undefined;
  const found = new Map(letters.map((letter, i) => [letter, match[i + 1] as string]));
  const number = (letter: string, otherwise: number): number =>
    found.has(letter) ? Number(found.get(letter)) : otherwise;
  const name = (found.get("b") ?? found.get("B"))?.toLowerCase();
  const named =
    name === undefined
      ? -1
      : months.findIndex((month) => (found.has("b") ? month.slice(0, 3) : month).toLowerCase() === name);
  if (name !== undefined && named < 0) return undefined;
  const zone = found.get("z");
  const offset = zone !== undefined ? offsetMinutes(zone) : found.has("Z") ? number("Z", 0) : undefined;
  const date: Numbers = [number("Y", 1970), named >= 0 ? named + 1 : number("m", 1), number("d", 1)];
  const parsed = checked(date, [number("H", 0), number("M", 0), number("S", 0), number("L", 0)], offset);
  if (parsed === undefined || !found.has("j")) return parsed;
  return { ...parsed, local: parsed.local + (number("j", 1) - 1) * 86_400_000 };
}
