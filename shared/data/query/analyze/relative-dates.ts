import type { RelativeDate, RelativeUnit } from "../parse/syntax.ts";

const units: readonly RelativeUnit[] = ["day", "week", "month", "quarter", "year"];

/** Words without a number: SOQL's names, and `now`. */
const plain = new Map<string, RelativeDate>([
  ["now", "now"],
  ["today", { unit: "day", from: 0, to: 0 }],
  ["yesterday", { unit: "day", from: -1, to: -1 }],
  ["tomorrow", { unit: "day", from: 1, to: 1 }],
  ["last_90_days", { unit: "day", from: -90, to: 0 }],
  ["next_90_days", { unit: "day", from: 1, to: 90 }],
]);

/** Words with a number of units: `last_n_days:30`. */
const counted = new Map<string, (count: number) => RelativeDate>();

for (const unit of units) {
  if (unit !== "day") {
    plain.set(`this_${unit}`, { unit, from: 0, to: 0 });
    plain.set(`last_${unit}`, { unit, from: -1, to: -1 });
    plain.set(`next_${unit}`, { unit, from: 1, to: 1 });
  }
  // As in SOQL, the last n days include today, but the last n weeks, months, quarters and years end before the current
  // one.
  counted.set(`last_n_${unit}s`, (count) => ({ unit, from: -count, to: unit === "day" ? 0 : -1 }));
  counted.set(`next_n_${unit}s`, (count) => ({ unit, from: 1, to: count }));
  counted.set(`n_${unit}s_ago`, (count) => ({ unit, from: -count, to: -count }));
}

export const relativeDateWords: readonly string[] = [
  ...plain.keys(),
  ...[...counted.keys()].map((word) => `${word}:n`),
];

/** The largest n for which all dates have four-digit years in ISO 8601. */
export const maxRelativeCount = 5_000;

export const plainRelativeDate = (word: string): RelativeDate | undefined => plain.get(word.toLowerCase());

export const countedRelativeDate = (word: string): ((count: number) => RelativeDate) | undefined =>
  counted.get(word.toLowerCase());
