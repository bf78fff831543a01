import { Decimal128, Double, Int32, Long } from "bson";
import type { Document } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeOf, expectExactly, openTestDatabase, type TestDatabase, typed } from "./database.ts";

const d = (value: number): Double => new Double(value);
const dec = (text: string): Decimal128 => Decimal128.fromString(text);
const long = (value: string): Long => Long.fromString(value);
const epoch = { $toDate: long("0") };

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const evaluate = async (expression: unknown): Promise<unknown> => {
  const collection = await database.seed({ _id: 1 });
  const [found] = await collection.aggregate([{ $project: { _id: 0, r: expression } }], typed).toArray();
  return found?.r;
};

const cases = (rows: readonly (readonly [unknown, unknown])[]) =>
  rows.map(([expression, value]) => [JSON.stringify(expression), expression, value] as const);

describe("a double as text", () => {
  it.each<[number, string]>([
    [1, "1"],
    [-0, "-0"],
    [0.1, "0.1"],
    [0.1 + 0.2, "0.30000000000000004"],
    [1e15, "1000000000000000"],
    [1234567890123456, "1234567890123456"],
    [9999999999999998, "9999999999999998"],
    [1e16, "1e+16"],
    [12345678901234568, "1.2345678901234568e+16"],
    [1e21, "1e+21"],
    [-1.5e300, "-1.5e+300"],
    [0.0001, "0.0001"],
    [0.00001, "1e-05"],
    [0.000012345, "1.2345e-05"],
    [5e-324, "5e-324"],
    [Number.POSITIVE_INFINITY, "Infinity"],
    [Number.NEGATIVE_INFINITY, "-Infinity"],
    [Number.NaN, "NaN"],
  ])("has the shortest digits, with an exponent for very large and small numbers: %s", async (number, text) => {
    expect(await evaluate({ $toString: d(number) })).toBe(text);
  });

  it.each<[number, string]>([
    [1.5, "1.5"],
    [123456.789, "123457"],
    [1234567, "1.23457e+06"],
    [0.00001234, "1.234e-05"],
    [100000, "100000"],
    [999999.5, "1e+06"],
  ])("has six digits in string functions: %s", async (number, text) => {
    expect(await evaluate({ $toLower: d(number) })).toBe(text);
  });
});

describe("doubles beside decimals", () => {
  it.each(
    cases([
      // $sum and $avg use all digits of the double, $add fifteen of them.
      [{ $sum: [d(0.1), dec("0.2")] }, dec("0.3000000000000000055511151231257827")],
      [{ $sum: [d(1.5), 2, long("3"), dec("0.25")] }, dec("6.75")],
      [{ $avg: [d(0.1), dec("0.1")] }, dec("0.1000000000000000027755575615628914")],
      [{ $add: [d(0.1), dec("0.2")] }, dec("0.300000000000000")],
      [{ $sum: [Number.POSITIVE_INFINITY, dec("1")] }, dec("Infinity")],
      [{ $sum: [Number.NaN, dec("1")] }, dec("NaN")],
      [{ $sum: [d(1e16), d(1), d(-1e16), dec("0")] }, dec("1")],
    ]),
  )("%s", async (_, expression, value) => {
    expect(String(await evaluate(expression))).toBe(String(value));
  });

  it("have the same sum in a group and in an expression", async () => {
    const collection = await database.seed({ n: d(0.1) }, { n: dec("0.2") });
    const [found] = await collection
      .aggregate([{ $group: { _id: null, sum: { $sum: "$n" }, mean: { $avg: "$n" } } }], typed)
      .toArray();
    expect([String(found?.sum), String(found?.mean)]).toEqual([
      "0.3000000000000000055511151231257827",
      "0.1500000000000000027755575615628914",
    ]);
  });
});

describe("sums and products from left to right", () => {
  it.each(
    cases([
      // If all operands are ints the result is an int where it fits.
      [{ $add: [2147483647, 1, -1] }, new Int32(2147483647)],
      [{ $multiply: [65536, 65536, 0] }, new Int32(0)],
      [{ $add: [2147483647, 1, long("-1")] }, long("2147483647")],
      [{ $add: [long("9223372036854775807"), 1, -1] }, d(2 ** 63)],
      // The first null ends the evaluation.
      [{ $add: [1, null, "x"] }, null],
      [{ $multiply: [1, "$missing", "x"] }, null],
      [{ $add: [d(-0), d(-0)] }, d(0)],
    ]),
  )("%s", async (_, expression, value) => {
    expectExactly(await evaluate(expression), value);
  });

  it("refuse a string before a null", async () => {
    expect(Number(await codeOf(evaluate({ $add: ["x", null] })))).toBe(14);
    expect(Number(await codeOf(evaluate({ $multiply: ["x", null] })))).toBe(14);
  });
});

describe("rounding to places", () => {
  it.each(
    cases([
      // A double is rounded by its exact value, not by its text.
      [{ $round: [d(2.675), 2] }, d(2.67)],
      [{ $round: [d(1.005), 2] }, d(1)],
      [{ $round: [d(2.5), 0] }, d(2)],
      [{ $round: [d(0.5)] }, d(0)],
      [{ $round: [d(1.298), 100] }, d(1.298)],
      [{ $round: [d(1.5e300), 2] }, d(1.5e300)],
      [{ $round: [d(-1250), -2] }, d(-1200)],
      [{ $trunc: [d(4.35), 2] }, d(4.34)],
      [{ $trunc: [d(1.298), 1] }, d(1.2)],
      [{ $trunc: [d(23.298), -1] }, d(20)],
      [{ $trunc: [d(-0.9)] }, d(-0)],
      [{ $trunc: [Number.POSITIVE_INFINITY, 2] }, d(Number.POSITIVE_INFINITY)],
      [{ $round: [Number.NaN, 2] }, d(Number.NaN)],
      [{ $trunc: [dec("1.298"), 1] }, dec("1.2")],
      [{ $trunc: [dec("23.298"), -1] }, dec("2E+1")],
      // A decimal gets exactly these places, within 34 digits.
      [{ $round: [dec("1.5"), 3] }, dec("1.500")],
      [{ $round: [dec("0"), 2] }, dec("0.00")],
      [{ $round: [dec("1.298"), 100] }, dec("1.298000000000000000000000000000000")],
      [{ $round: [dec("1E+40"), 0] }, dec("1.000000000000000000000000000000000E+40")],
      [{ $round: [dec("1E+3"), 0] }, dec("1000")],
      [{ $round: [dec("Infinity"), 2] }, dec("Infinity")],
      [{ $round: [2147483647, -1] }, long("2147483650")],
      [{ $round: [15, -1] }, new Int32(20)],
      [{ $round: [25, -1] }, new Int32(20)],
    ]),
  )("%s", async (_, expression, value) => {
    expectExactly(await evaluate(expression), value);
  });
});

describe("powers", () => {
  const infinity = Number.POSITIVE_INFINITY;
  it.each(
    cases([
      [{ $pow: [d(1), infinity] }, d(1)],
      [{ $pow: [1, Number.NaN] }, d(1)],
      [{ $pow: [-1, infinity] }, d(1)],
      [{ $pow: [d(-1), -infinity] }, d(1)],
      [{ $pow: [2, infinity] }, d(infinity)],
      [{ $pow: [2, -infinity] }, d(0)],
      [{ $pow: [d(0.5), infinity] }, d(0)],
      [{ $pow: [Number.NaN, 0] }, d(1)],
      [{ $pow: [Number.NaN, 1] }, d(Number.NaN)],
      [{ $pow: [-infinity, 3] }, d(-infinity)],
      [{ $pow: [-8, d(1 / 3)] }, d(Number.NaN)],
      [{ $pow: [1, -3] }, new Int32(1)],
      [{ $pow: [-1, -3] }, new Int32(-1)],
      [{ $pow: [-1, long("-2")] }, long("1")],
      [{ $pow: [2, -1] }, d(0.5)],
      [{ $pow: [-2, 63] }, long("-9223372036854775808")],
      [{ $pow: [2, 63] }, d(2 ** 63)],
    ]),
  )("%s", async (_, expression, value) => {
    expectExactly(await evaluate(expression), value);
  });

  it("of 0 are refused for negative exponents", async () => {
    expect(Number(await codeOf(evaluate({ $pow: [0, -1] })))).toBe(28764);
    expect(Number(await codeOf(evaluate({ $pow: [0, -infinity] })))).toBe(28764);
  });
});

describe("fractions of milliseconds", () => {
  it.each(
    cases([
      // Halves round away from zero; decimals round halves to even.
      [{ $toLong: { $add: [epoch, d(0.5)] } }, long("1")],
      [{ $toLong: { $add: [epoch, d(-0.5)] } }, long("-1")],
      [{ $toLong: { $add: [epoch, d(1.5)] } }, long("2")],
      [{ $toLong: { $add: [epoch, d(-1.5)] } }, long("-2")],
      [{ $toLong: { $add: [epoch, d(0.49999999999999994)] } }, long("0")],
      [{ $toLong: { $add: [epoch, dec("0.5")] } }, long("0")],
      [{ $toLong: { $add: [epoch, dec("1.5")] } }, long("2")],
      [{ $toLong: { $subtract: [epoch, d(0.5)] } }, long("-1")],
      [{ $toLong: { $subtract: [epoch, dec("2.5")] } }, long("-2")],
      // Operands before the date are summed first; operands after it are rounded one by one.
      [{ $toLong: { $add: [d(0.5), d(0.5), epoch] } }, long("1")],
      [{ $toLong: { $add: [epoch, d(0.5), d(0.5)] } }, long("2")],
      [{ $toLong: { $toDate: d(1.9) } }, long("1")],
      [{ $toLong: { $toDate: d(-1.9) } }, long("-1")],
      [{ $toLong: { $toDate: dec("1.9") } }, long("1")],
    ]),
  )("%s", async (_, expression, value) => {
    expectExactly(await evaluate(expression), value);
  });
});

describe("the standard deviation", () => {
  const over = async (values: readonly unknown[], name: string, window: object): Promise<unknown[]> => {
    const collection = await database.seed(...values.map((n, i) => ({ _id: i, n })));
    const stage = { $setWindowFields: { sortBy: { _id: 1 }, output: { r: { [name]: "$n", window } } } };
    const found = await collection.aggregate([stage, { $sort: { _id: 1 } }], typed).toArray();
    return found.map(({ r }) => r);
  };

  it("of one value in a moving window is the int 0, and null for a sample", async () => {
    expectExactly(await over([1, 2, 3], "$stdDevPop", { documents: [0, 0] }), [
      new Int32(0),
      new Int32(0),
      new Int32(0),
    ]);
    expectExactly(await over([1, 2], "$stdDevSamp", { documents: [0, 0] }), [null, null]);
  });

  it("of one value in a window from the start of its partition is the double 0", async () => {
    expectExactly(await over([1, 3], "$stdDevPop", { documents: ["unbounded", "current"] }), [d(0), d(1)]);
  });

  it("of an empty window is null, and -0 for a sample", async () => {
    expectExactly(await over([1, 3, 5], "$stdDevPop", { documents: [1, 2] }), [d(1), new Int32(0), null]);
    expectExactly(await over([1, 3, 5], "$stdDevSamp", { documents: [1, 2] }), [d(Math.SQRT2), null, d(-0)]);
  });

  it("is NaN while an infinite value is in the window, and ignores values that are not numbers", async () => {
    const values = [1, 2, Number.POSITIVE_INFINITY, 3, "x", 5];
    expectExactly(await over(values, "$stdDevPop", { documents: [-1, 0] }), [
      new Int32(0),
      d(0.5),
      d(Number.NaN),
      d(Number.NaN),
      new Int32(0),
      new Int32(0),
    ]);
  });

  it("is updated as the window moves", async () => {
    expectExactly(await over([1, 2, 3, 4], "$stdDevPop", { documents: [-2, 0] }), [
      new Int32(0),
      d(0.5),
      d(Math.sqrt(2 / 3)),
      d(Math.sqrt(2 / 3)),
    ]);
    expectExactly(await over([1, 2, 3, 4], "$stdDevSamp", { range: [-1, 1] }), [
      d(Math.SQRT1_2),
      d(1),
      d(1),
      d(Math.SQRT1_2),
    ]);
  });

  it("of decimals is computed with the nearest doubles", async () => {
    expectExactly(await evaluate({ $stdDevPop: [dec("1"), dec("3")] }), d(1));
  });
});

describe("sorting the elements of an array", () => {
  const list = [{ k: [3, 1], _: "a" }, { k: 2, _: "b" }, { k: [1, 9], _: "c" }, { _: "d" }, 7, { k: [], _: "e" }];

  it("compares an array at the path as a whole", async () => {
    const expression = { $sortArray: { input: { $literal: list }, sortBy: { k: 1 } } };
    const sorted = (await evaluate(expression)) as readonly unknown[];
    expectExactly(sorted, [
      { _: "d" },
      new Int32(7),
      { k: new Int32(2), _: "b" },
      { k: [], _: "e" },
      { k: [new Int32(1), new Int32(9)], _: "c" },
      { k: [new Int32(3), new Int32(1)], _: "a" },
    ]);
  });

  it("reads positions in a path, and does not map arrays along it", async () => {
    const input = [{ a: [{ b: 5 }] }, { a: [{ b: 1 }] }];
    const by = (sortBy: object) => evaluate({ $sortArray: { input: { $literal: input }, sortBy } });
    expectExactly(await by({ "a.0.b": 1 }), [{ a: [{ b: new Int32(1) }] }, { a: [{ b: new Int32(5) }] }]);
    expectExactly(await by({ "a.b": 1 }), [{ a: [{ b: new Int32(5) }] }, { a: [{ b: new Int32(1) }] }]);
  });

  it("is the same in $push with $sort", async () => {
    const collection = await database.seed({ _id: 1, a: list });
    const push: Document = { $push: { a: { $each: [], $sort: { k: 1 } } } };
    await collection.updateOne({ _id: 1 }, push);
    const names = (await collection.findOne({ _id: 1 }))?.a.map((item: { _?: string }) => item._ ?? item);
    expect(names).toEqual(["d", 7, "b", "e", "c", "a"]);
  });
});

describe("a path in an expression", () => {
  it("reads a number as a field name, and skips arrays in arrays", async () => {
    const collection = await database.seed({ _id: 1, a: [[1, 2], [{ 0: "x", b: 1 }], { 0: "y", b: 2 }, 3] });
    const [found] = await collection
      .aggregate([{ $project: { _id: 0, zero: "$a.0", b: "$a.b", deep: "$a.0.b" } }], typed)
      .toArray();
    expectExactly(found, { zero: ["y"], b: [new Int32(2)], deep: [] });
  });
});

describe("the index of a string in a string", () => {
  it.each(
    cases([
      [{ $indexOfCP: ["", ""] }, 0],
      [{ $indexOfCP: ["abc", ""] }, 0],
      [{ $indexOfCP: ["abc", "", 1] }, 1],
      [{ $indexOfCP: ["abc", "", 3] }, -1],
      [{ $indexOfCP: ["abc", "", 1, 1] }, -1],
      [{ $indexOfCP: ["", "", 3] }, -1],
      [{ $indexOfCP: ["", "x"] }, -1],
      [{ $indexOfCP: ["abcde", "cd", 0, 3] }, 2],
      [{ $indexOfCP: ["😀b😀c", "😀", 1] }, 2],
      [{ $indexOfCP: ["a√cb", "b", 3, 1] }, -1],
      [{ $indexOfBytes: ["", ""] }, 0],
      [{ $indexOfBytes: ["abc", "", 3] }, 3],
      [{ $indexOfBytes: ["abc", "", 4] }, -1],
      [{ $indexOfBytes: ["abc", "", 2, 1] }, -1],
      [{ $indexOfBytes: ["abcde", "cd", 0, 3] }, -1],
    ]),
  )("%s", async (_, expression, value) => {
    expectExactly(await evaluate(expression), new Int32(Number(value)));
  });
});

describe("the first day of a week", () => {
  const at = { $toDate: "2026-01-15T12:00:00Z" };
  it.each(
    cases([
      [{ $dateTrunc: { date: at, unit: "week", startOfWeek: null } }, null],
      [{ $dateTrunc: { date: at, unit: "week", startOfWeek: "$missing" } }, null],
      // Only weeks have a first day.
      [{ $toString: { $dateTrunc: { date: at, unit: "day", startOfWeek: null } } }, "2026-01-15T00:00:00.000Z"],
      [{ $toString: { $dateTrunc: { date: at, unit: "week", startOfWeek: "mon" } } }, "2026-01-12T00:00:00.000Z"],
      [{ $dateDiff: { startDate: at, endDate: at, unit: "week", startOfWeek: null } }, null],
      [{ $dateDiff: { startDate: at, endDate: at, unit: "month", startOfWeek: "$missing" } }, long("0")],
    ]),
  )("%s", async (_, expression, value) => {
    expectExactly(await evaluate(expression), value);
  });

  it("is refused if it is not a day", async () => {
    const trunc = (startOfWeek: unknown) => evaluate({ $dateTrunc: { date: at, unit: "week", startOfWeek } });
    expect(Number(await codeOf(trunc("someday")))).toBe(5439016);
    expect(Number(await codeOf(trunc(1)))).toBe(5439015);
  });
});
