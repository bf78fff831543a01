import { describe, expect, it } from "vitest";
import { issuesOf, onCreate } from "./object.ts";

const repeated = (piece: string, count: number, between: string): string => Array(count).fill(piece).join(between);

/** Far above the fraction of a second that the worst of these takes, and far below what an attack would reach. */
const TOO_LONG = 5_000;

const inTime = <T>(work: () => T): T => {
  const start = performance.now();
  const result = work();
  expect(performance.now() - start).toBeLessThan(TOO_LONG);
  return result;
};

describe("a condition that exceeds a limit is refused", () => {
  it.each([
    ["its length", `'${"a".repeat(2_000)}' == ''`],
    ["its operators, names and values", repeated("true", 250, "||")],
    ["unary operators", `${"!".repeat(1_900)}true`],
    ["levels of parentheses", `${"(".repeat(33)}true${")".repeat(33)}`],
    ["levels of fields", `record.data${".x".repeat(33)} == 1`],
    ["levels of lists", `${"[".repeat(33)}${"]".repeat(33)} == []`],
    ["levels of conditional operators", `${"true ? true : ".repeat(33)}true`],
    ["elements of a list", `record.amount in [${repeated("1", 101, ",")}]`],
    ["a comprehension in a comprehension", "record.items.exists(a, record.items.exists(b, b == 'x'))"],
    ["a comprehension over a comprehension", "record.items.map(a, a).exists(b, b == 'x')"],
    ["a comprehension in the range of another", "[record.items.exists(a, a == 'x')].exists(b, b)"],
    ["uses of a variable", `record.items.exists(a, ${repeated("a == 'x'", 11, "||")})`],
    ["a time zone for each element", "record.items.exists(a, a == 1 && now.getHours('Asia/Tokyo') == 1)"],
    ["the length of a pattern", `record.name.matches('${"a".repeat(201)}')`],
    ["the size of a pattern", "record.name.matches('((ab?){1,30}c){1,20}')"],
  ])("by %s", (_, condition) => {
    expect(inTime(() => issuesOf(condition))[0]?.type).toBe("rule_too_complex");
  });

  it("by a duration that would be slow to read", () => {
    const issues = inTime(() => issuesOf(`duration('${"1".repeat(1_900)}') > duration('1h')`));
    expect(issues[0]?.type).toBe("rule_type");
  });
});

describe("the worst conditions within the limits end soon", () => {
  const letters = "a".repeat(262_144);
  const half = "a".repeat(65_536);
  const record = {
    amount: 1,
    body: letters,
    part: `${half}b${half}`,
    items: Array.from({ length: 20_000 }, (_, index) => (index % 2 ? index : `x${index}`)),
    tags: Array.from({ length: 1_000 }, (_, index) => `Tag ${index}`),
    data: { texts: ["aB".repeat(500_000)] },
  };

  it.each([
    ["search a long text for a long part", "record.body.contains(record.part)", "budget"],
    ["search with a position", "record.body.indexOf(record.part) > 5", "budget"],
    ["search from the end", "record.body.lastIndexOf(record.part) > 5", "budget"],
    ["match a pattern that makes others backtrack", "record.body.matches('^(a+)+$') == false", null],
    ["match many patterns", repeated("record.body.matches('^(a+)+b$')", 20, "||"), "budget"],
    ["join long texts", `(${repeated("record.body", 40, "+")}).startsWith('b')`, "budget"],
    ["find each tag in a list", "record.tags.exists(t, t in record.items)", "budget"],
    ["copy a list for each tag", "size(record.tags.map(t, record.items)) == 1", "budget"],
    ["compare often", `record.items.exists(n, n == 1e9 || ${repeated("1 > 2", 50, "||")})`, "budget"],
    ["measure long elements", `record.data.texts.exists(t, ${repeated("size(t) < 0", 10, "||")})`, null],
    ["join long elements", `record.data.texts.exists(t, (${repeated("t", 10, "+")}).endsWith('b'))`, null],
    [
      "change the case of long elements",
      `record.data.texts.exists(t, ${repeated(`size(t${".upperAscii()".repeat(12)}) < 0`, 8, "||")})`,
      "budget",
    ],
    ["join lists", `size(${repeated("record.items", 60, "+")}) > 5`, "budget"],
    ["repeat comprehensions", repeated("record.tags.exists(t, t == 'none')", 10, "||"), null],
    ["raise errors for each element", `record.tags.exists(t, ${repeated("record.status == t", 9, "||")})`, null],
    [
      "read durations",
      `record.tags.exists(t, ${repeated("duration('1h1m1s1ms1us1ns') < duration('1s')", 5, "||")})`,
      null,
    ],
    ["use time zones", repeated("now.getHours('Europe/Berlin') > 25", 40, "||"), null],
  ])("%s", (_, condition, expected) => {
    expect(issuesOf(condition)).toEqual([]);
    expect(inTime(() => onCreate(condition, record))).toBe(expected);
  });
});
