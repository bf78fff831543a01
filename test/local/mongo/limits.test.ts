import type { Document } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failure, openTestDatabase, type TestDatabase } from "./database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

async function refusal(stages: Document[], ...docs: Document[]): Promise<number | string | undefined> {
  const collection = await database.seed(...docs);
  return (await failure(collection.aggregate(stages).toArray())).code;
}

const tooLarge = 10334;
const one = { _id: 1, name: "x".repeat(100) };
const times = (count: number, stage: Document): Document[] => Array.from({ length: count }, () => stage);
const range = (length: number): Document => ({ $range: [0, length] });

describe("a value that grows is refused before it is written out", () => {
  it.each<[string, Document[]]>([
    ["in $addFields", times(60, { $addFields: { x: { a: "$x", b: "$x", c: "$$ROOT.x", n: "$name" } } })],
    ["in $project", times(60, { $project: { name: 1, x: { $mergeObjects: [{ a: "$x", b: "$x" }, { n: "$name" }] } } })],
    ["in lists", [{ $set: { x: ["$name"] } }, ...times(60, { $set: { x: ["$x", "$x", "$x"] } })]],
    ["in $replaceRoot", times(60, { $replaceWith: { a: "$$ROOT", b: "$$ROOT" } })],
    ["in $group", times(60, { $group: { _id: "$_id", a: { $push: "$$ROOT" }, b: { $push: "$$ROOT" } } })],
    ["in $facet", times(60, { $facet: { a: [{ $match: {} }], b: [{ $match: {} }] } })],
    [
      "in $reduce",
      [{ $set: { x: { $reduce: { input: range(60), initialValue: "$name", in: ["$$value", "$$value"] } } } }],
    ],
    [
      "in a text",
      [
        {
          $set: {
            x: { $reduce: { input: range(60), initialValue: "$name", in: { $concat: ["$$value", "$$value"] } } },
          },
        },
      ],
    ],
    [
      "in $replaceAll",
      times(60, {
        $set: { name: { $replaceAll: { input: "$name", find: "x".repeat(10), replacement: "x".repeat(100) } } },
      }),
    ],
    [
      "in $setWindowFields",
      times(60, { $setWindowFields: { output: { a: { $push: "$$ROOT" }, b: { $push: "$$ROOT" } } } }),
    ],
  ])("grown %s", async (_, stages) => {
    expect(await refusal(stages, one)).toBe(tooLarge);
  });

  it("grown by a join with itself", async () => {
    const collection = await database.seed({ _id: 1, text: "x".repeat(1_000_000) });
    const join = { $lookup: { from: collection.collectionName, localField: "_id", foreignField: "_id" } };
    const stages = Array.from({ length: 20 }, (_, i) => ({ $lookup: { ...join.$lookup, as: `j${i}` } }));
    expect((await failure(collection.aggregate(stages).toArray())).code).toBe(tooLarge);
  });

  it("grown in an update with a pipeline", async () => {
    const collection = await database.seed(one);
    const change = times(60, { $set: { x: { a: "$x", b: "$x", n: "$name" } } });
    expect((await failure(collection.updateOne({}, change))).code).toBe(tooLarge);
    expect(await collection.findOne()).toEqual(one);
  });

  it("and a smaller value is accepted", async () => {
    const collection = await database.seed(one);
    const stages = times(10, { $addFields: { x: { a: "$x", b: "$x", n: "$name" } } });
    const [row] = await collection.aggregate<Document>(stages).toArray();
    expect(JSON.stringify(row).length).toBeGreaterThan(100_000);
  });
});

describe("work on one document has a limit", () => {
  const loop = (length: number, inner: unknown): Document => ({ $map: { input: range(length), in: inner } });

  it.each<[string, unknown]>([
    ["loops in loops", { $size: loop(3_000, { $size: loop(3_000, 1) }) }],
    [
      "a text that grows and is read",
      { $reduce: { input: range(20_000), initialValue: "", in: { $toUpper: { $concat: ["$$value", "abcdefgh"] } } } },
    ],
    [
      "a list that grows",
      {
        $size: { $reduce: { input: range(20_000), initialValue: [], in: { $concatArrays: ["$$value", ["$$this"]] } } },
      },
    ],
    [
      "a search in a list for each of its elements",
      { $let: { vars: { l: range(10_000) }, in: loop(10_000, { $in: [-1, "$$l"] }) } },
    ],
    [
      "a sum of a list for each of its elements",
      { $let: { vars: { l: range(10_000) }, in: loop(10_000, { $sum: "$$l" }) } },
    ],
    ["sets", { $let: { vars: { l: range(10_000) }, in: loop(10_000, { $size: { $setUnion: ["$$l", [1]] } }) } }],
    [
      "sorting",
      {
        $let: { vars: { l: range(10_000) }, in: loop(1_000, { $first: { $sortArray: { input: "$$l", sortBy: -1 } } }) },
      },
    ],
    [
      "comparing lists",
      { $let: { vars: { l: range(10_000), m: range(10_000) }, in: loop(10_000, { $eq: ["$$l", "$$m"] }) } },
    ],
  ])("exceeded by %s", async (_, expression) => {
    const collection = await database.seed({ _id: 1 });
    const error = await failure(collection.aggregate([{ $project: { r: expression } }]).toArray());
    expect(error.message).toContain("The embedded database does at most");
  });

  it("that is far above the work of usual expressions", async () => {
    const collection = await database.seed({ _id: 1, list: Array.from({ length: 20_000 }, (_, i) => i) });
    const even = { $filter: { input: "$list", cond: { $eq: [{ $mod: ["$$this", 2] }, 0] } } };
    const [row] = await collection
      .aggregate<Document>([
        {
          $project: { n: { $size: even }, sum: { $sum: { $map: { input: even, in: { $multiply: ["$$this", 2] } } } } },
        },
      ])
      .toArray();
    expect(row).toEqual({ _id: 1, n: 10_000, sum: 199_980_000 });
  });
});

describe("the memory of one command has a limit", () => {
  const key = { t: "$text", k: "$k" };
  const shard = { $mod: ["$k", 64] };
  it.each<[string, Document]>([
    ["groups", { $group: { _id: key } }],
    ["lists of groups", { $group: { _id: shard, all: { $push: "$$ROOT" } } }],
    ["sets of groups", { $group: { _id: shard, all: { $addToSet: key } } }],
    ["the first of groups", { $group: { _id: shard, all: { $topN: { n: 1, sortBy: { k: 1 }, output: "$$ROOT" } } } }],
    ["sorting", { $sort: { k: -1 } }],
    ["windows", { $setWindowFields: { sortBy: { k: 1 }, output: { n: { $sum: 1 } } } }],
    ["facets", { $facet: { all: [{ $count: "n" }] } }],
  ])("exceeded by %s", async (_, stage) => {
    const collection = await database.seed({ _id: 1, text: "x".repeat(1_000_000) });
    const rows: Document[] = [{ $project: { text: 1, k: range(1_000) } }, { $unwind: "$k" }];
    expect((await failure(collection.aggregate([...rows, stage]).toArray())).code).toBe(292);
  });
});
