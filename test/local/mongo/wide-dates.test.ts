import { Double, Long } from "bson";
import type { Document } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeOf, expectExactly, failure, openTestDatabase, type TestDatabase, typed } from "./database.ts";

const long = (value: string): Long => Long.fromString(value);
/** Milliseconds beyond a Date of JavaScript, beyond its safe integers, and the ends of the range. */
const least = "-9223372036854775808";
const most = "9223372036854775807";
const stored = [most, "9007199254740995", "9007199254740993", "8640000000000001", "0", "-9007199254740993", least];

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const seeded = async () => {
  const collection = await database.seed(...stored.map((ms, i) => ({ _id: i, ms: long(ms) })));
  await collection.updateMany({}, [{ $set: { d: { $toDate: "$ms" } } }]);
  return collection;
};

const evaluate = async (expression: unknown, doc: Document = {}): Promise<unknown> => {
  const collection = await database.seed({ _id: 1, ...doc });
  const [found] = await collection.aggregate([{ $project: { _id: 0, r: expression } }], typed).toArray();
  return found?.r;
};

const wide = { $toDate: long("9007199254740993") };

describe("dates beyond the range of JavaScript", () => {
  it("are exact to the millisecond, also when the document is rewritten", async () => {
    const collection = await seeded();
    await collection.updateMany({}, { $set: { touched: true } });
    await collection.updateMany({}, [{ $set: { nested: { list: ["$d"] } } }]);
    const kept = await collection
      .aggregate(
        [
          { $sort: { _id: 1 } },
          { $project: { _id: 0, a: { $toLong: "$d" }, b: { $toLong: { $first: "$nested.list" } } } },
        ],
        typed,
      )
      .toArray();
    expectExactly(
      kept,
      stored.map((ms) => ({ a: long(ms), b: long(ms) })),
    );
  });

  it.each([false, true])("are sorted, grouped and found by value (with an index: %s)", async (indexed) => {
    const collection = await seeded();
    if (indexed) await collection.createIndex({ d: 1 });
    const order = (
      await collection
        .find({}, { projection: { d: 0 } })
        .sort({ d: 1 })
        .toArray()
    ).map(({ _id }) => _id);
    expect(order).toEqual([6, 5, 4, 3, 2, 1, 0]);
    const groups = await collection.aggregate([{ $group: { _id: "$d" } }, { $count: "n" }]).toArray();
    expect(groups).toEqual([{ n: 7 }]);
    const above = await collection
      .aggregate([{ $match: { $expr: { $gt: ["$d", wide] } } }, { $sort: { _id: 1 } }, { $project: { _id: 1 } }])
      .toArray();
    expect(above).toEqual([{ _id: 0 }, { _id: 1 }]);
    const joined = await collection
      .aggregate([
        { $lookup: { from: collection.collectionName, localField: "d", foreignField: "d", as: "same" } },
        { $project: { n: { $size: "$same" } } },
        { $sort: { _id: 1 } },
      ])
      .toArray();
    expect(joined).toEqual(stored.map((_, i) => ({ _id: i, n: 1 })));
  });

  it("are unequal if only the last digit differs, also in a unique index", async () => {
    const collection = await seeded();
    await collection.createIndex({ d: 1 }, { unique: true });
    const twice = collection.updateOne({ _id: 2 }, [{ $set: { d: { $toDate: long("9007199254740995") } } }]);
    expect(await codeOf(twice)).toBe(11000);
    await collection.updateOne({ _id: 2 }, [{ $set: { d: { $toDate: long("9007199254740994") } } }]);
  });

  it.each<[string, unknown, unknown]>([
    ["$toLong", { $toLong: wide }, long("9007199254740993")],
    ["$toDouble, to the nearest double", { $toDouble: wide }, new Double(9007199254740992)],
    ["$toString of $toDecimal", { $toString: { $toDecimal: wide } }, "9007199254740993"],
    ["$subtract of two", { $subtract: [wide, { $toDate: long("-1") }] }, long("9007199254740994")],
    ["$subtract of milliseconds", { $toLong: { $subtract: [wide, 1] } }, long("9007199254740992")],
    ["$add of milliseconds", { $toLong: { $add: [wide, long("1000000000000000000")] } }, long("1009007199254740993")],
    ["$cmp", { $cmp: [wide, { $toDate: long("9007199254740994") }] }, -1],
    ["$eq", { $eq: [wide, wide] }, true],
    ["$type", { $type: wide }, "date"],
    ["$max", { $toLong: { $max: [wide, { $toDate: long("9007199254740994") }] } }, long("9007199254740994")],
  ])("are computed exactly by %s", async (_, expression, value) => {
    expectExactly(await evaluate(expression), value);
  });

  it.each<[string, unknown]>([
    ["$add", { $add: [{ $toDate: long(most) }, 1] }],
    ["$subtract", { $subtract: [{ $toDate: long(least) }, 1] }],
    ["$add of a double", { $add: [{ $toDate: long("0") }, 1e19] }],
    ["$add of an infinity", { $add: [{ $toDate: long("0") }, Number.POSITIVE_INFINITY] }],
  ])("are refused if %s overflows", async (_, expression) => {
    expect(Number(await codeOf(evaluate(expression)))).toBe(15);
  });

  it.each<[string, unknown]>([
    ["$year", { $year: wide }],
    ["$dateToString", { $dateToString: { date: wide } }],
    ["$toString", { $toString: wide }],
    ["$dateTrunc", { $dateTrunc: { date: wide, unit: "day" } }],
    ["$dateDiff", { $dateDiff: { startDate: wide, endDate: wide, unit: "day" } }],
    ["$dateAdd", { $dateAdd: { startDate: { $toDate: long("0") }, unit: "year", amount: 300_000 } }],
    ["$dateFromParts", { $dateFromParts: { year: 2000, second: long("9000000000000") } }],
  ])("are refused by name if %s needs a calendar", async (_, expression) => {
    expect((await failure(evaluate(expression))).message).toContain(
      "a date before the year -271821 or after 275760 in this expression",
    );
  });

  it("measure a range of a window, or are refused", async () => {
    const collection = await seeded();
    const window = { range: [-1, 0], unit: "day" };
    const stage = { $setWindowFields: { sortBy: { d: 1 }, output: { n: { $count: {}, window } } } };
    expect((await failure(collection.aggregate([stage]).toArray())).message).toContain("275760");
  });
});

describe("ObjectIds", () => {
  it("have a signed number of seconds, so that those after 2038 are before 1970", async () => {
    const dateOf = (hex: string) => evaluate({ $toLong: { $toDate: { $toObjectId: `${hex}0000000000000000` } } });
    expectExactly(await dateOf("7fffffff"), long("2147483647000"));
    expectExactly(await dateOf("80000000"), long("-2147483648000"));
    expectExactly(await dateOf("ffffffff"), long("-1000"));
    expectExactly(await evaluate({ $year: { $toObjectId: "ffffffff0000000000000000" } }), 1969);
  });
});
