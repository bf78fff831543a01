import type { Document } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failure, openTestDatabase, type TestDatabase } from "./database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

/** Texts that a backtracking engine tries in 2^40 ways. */
const prepared = Array.from({ length: 500 }, (_, i) => ({ _id: i, name: `${"a".repeat(40)}!${i}` }));

const stages: [string, Document][] = [
  ["$regex", { $match: { name: { $regex: "^(a+)+$" } } }],
  ["$regex in $not", { $match: { name: { $not: { $not: { $regex: "^(a+)+$" } } } } }],
  ["$in", { $match: { name: { $in: [/^(a+)+$/, /^(a|aa)+$/] } } }],
  ["$regexMatch", { $match: { $expr: { $regexMatch: { input: "$name", regex: "^(a+)+$" } } } }],
  ["$regexFind", { $match: { $expr: { $gt: [{ $regexFind: { input: "$name", regex: "^(a+)+$" } }, null] } } }],
  [
    "$regexFindAll",
    { $match: { $expr: { $gt: [{ $size: { $regexFindAll: { input: "$name", regex: "(a+)+$" } } }, 0] } } },
  ],
  ["$jsonSchema", { $match: { $jsonSchema: { properties: { name: { pattern: "^(a+)+$" } } } } }],
  ["patternProperties", { $match: { $jsonSchema: { patternProperties: { "^(n+)+": { pattern: "^(a+)+$" } } } } }],
];

describe("a regular expression runs in time linear in the text", () => {
  it.each(stages)("in %s", async (_, stage) => {
    const collection = await database.seed(...prepared);
    expect(await collection.aggregate([stage]).toArray()).toEqual([]);
  });

  it("finds many matches without reading the whole text for each", async () => {
    const collection = await database.seed({ _id: 1 });
    const input = "é1".repeat(40_000);
    const found = { $regexFindAll: { input, regex: "[0-9]" } };
    const [row] = await collection
      .aggregate<Document>([{ $project: { n: { $size: found }, last: { $last: found } } }])
      .toArray();
    expect(row).toEqual({ _id: 1, n: 40_000, last: { match: "1", idx: 79_999, captures: [] } });
  });

  it.each<[string, Document]>([
    ["matches that each read the whole rest", { $regexFindAll: { input: "a".repeat(40_000), regex: "a.*b|a" } }],
    ["a large program on a long text", { $regexFind: { input: "ab".repeat(50_000), regex: "(?i)(ab?){0,500}z" } }],
    ["a repetition of repetitions", { $regexMatch: { input: "a", regex: "(?:(?:a{30}){30}){30}" } }],
  ])("refuses %s", async (_, expression) => {
    const collection = await database.seed({ _id: 1 });
    const { message } = await failure(collection.aggregate([{ $project: { r: expression } }]).toArray());
    expect(message).toMatch(/embedded database|Regular expression is invalid/);
  });
});

describe("a regular expression that needs more than linear time is refused by name", () => {
  it.each([
    ["look-ahead", "a(?=b)"],
    ["look-ahead", "a(?!b)"],
    ["look-behind", "(?<=a)b"],
    ["look-behind", "(?<!a)b"],
    ["back-references", "(a)\\1"],
    ["back-references", "(?<x>a)\\k<x>"],
    ["back-references", "(?P<x>a)(?P=x)"],
    ["the atomic group", "(?>a)"],
    ["the atomic group", "^(?>.*?a)b"],
    ["possessive quantifiers", "a++"],
    ["recursion", "(a(?1)?)"],
    ["conditional groups", "(a)?(?(1)b)"],
    ["backtracking verbs", "(*SKIP)a"],
    ["a repetition of more than 1000 times", "a{1001}"],
    ["the property \\p{Greek}", "\\p{Greek}"],
    ["a $ that is not at the end", "(a$|b)c"],
  ])("%s: %s", async (name, pattern) => {
    const collection = await database.seed({ a: "a" });
    expect((await failure(collection.find({ a: { $regex: pattern } }).toArray())).message).toContain(name);
  });

  it("a regular expression that is longer than MongoDB's limit", async () => {
    const collection = await database.seed({ a: "a" });
    expect((await failure(collection.find({ a: { $regex: "a".repeat(32_765) } }).toArray())).code).toBe(51091);
  });
});

describe("regular expressions mean the same as in PCRE", () => {
  it.each<[string, string, string, boolean]>([
    ["a$", "", "a\n", true],
    ["a$", "", "a\nb", false],
    ["a$", "m", "a\nb", true],
    ["a\\z", "", "a\n", false],
    ["a\\Z", "", "a\n", true],
    ["^(x|a$)", "", "a\n", true],
    ["^$", "m", "a\n", false],
    ["^$", "m", "a\n\nb", true],
    ["a.b", "", "a\nb", false],
    ["a.b", "s", "a\nb", true],
    ["\\w", "i", "ſ", false],
    ["k", "i", "\u212a", true],
    ["\\d", "", "٣", false],
    ["\\s", "", "\v", true],
    ["\\s", "", "\u00a0", false],
    ["[\\S]", "", "\v", false],
    ["[\\b]", "", "\b", true],
    ["^.$", "", "😀", true],
    ["\\p{Lu}", "", "É", true],
    ["^a(?!.)", "s", "a\n", false],
    ["^a(?!.)", "", "a\n", true],
    ["^C(?>.*?9)(?>.*?Tr.d).*d\\z", "is", "c 9\n trad d", true],
    ["^C(?>.*?9)(?>.*?Trad).*d\\z", "is", "C trad 9 d", false],
  ])("/%s/%s on %j: %s", async (pattern, options, text, expected) => {
    const collection = await database.seed({ a: text });
    expect(await collection.countDocuments({ a: { $regex: pattern, $options: options } })).toBe(expected ? 1 : 0);
  });

  it("the line feed after a $ is not part of a match", async () => {
    const collection = await database.seed({ _id: 1 });
    const found = { $regexFindAll: { input: "ab\n", regex: "(b|(c))($)" } };
    const [row] = await collection.aggregate<Document>([{ $project: { found } }]).toArray();
    expect(row?.found).toEqual([{ match: "b", idx: 1, captures: ["b", null, ""] }]);
  });
});
