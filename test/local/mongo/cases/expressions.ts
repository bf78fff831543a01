import { Binary, Decimal128, Double, Long, ObjectId } from "bson";
import type { Document } from "mongodb";

/** An expression, its value, and the document it reads. undefined means that the field is missing. */
export type ExpressionCase = readonly [expression: unknown, value: unknown, doc?: Document];

const date = (text: string): Date => new Date(text);
const dec = (text: string): Decimal128 => Decimal128.fromString(text);
const d = (value: number): Double => new Double(value);
const long = (value: number | string): Long => Long.fromString(String(value));
const march = date("2024-03-31T23:30:05.123Z");
const id = new ObjectId("65a5b1800123456789abcdef");

export const expressionCases: Record<string, readonly ExpressionCase[]> = {
  $abs: [
    [{ $abs: -5 }, 5],
    [{ $abs: -2147483648 }, long("2147483648")],
    [{ $abs: dec("-1.50") }, dec("1.50")],
    [{ $abs: "$none" }, null],
  ],
  $acos: [[{ $acos: 1 }, d(0)]],
  $acosh: [[{ $acosh: 1 }, d(0)]],
  $add: [
    [{ $add: [1, 2] }, 3],
    [{ $add: [2147483647, 1] }, long("2147483648")],
    [{ $add: [1, d(1)] }, d(2)],
    [{ $add: [long("9223372036854775807"), 1] }, d(2 ** 63)],
    [{ $add: [dec("0.1"), dec("0.2")] }, dec("0.3")],
    [{ $add: [date("2024-01-01T00:00:00Z"), 1000] }, date("2024-01-01T00:00:01Z")],
    [{ $add: [1, "$none"] }, null],
  ],
  $allElementsTrue: [
    [{ $allElementsTrue: [[true, 1]] }, true],
    [{ $allElementsTrue: [[true, 0]] }, false],
    [{ $allElementsTrue: [[]] }, true],
  ],
  $and: [
    [{ $and: [1, true] }, true],
    [{ $and: [1, null] }, false],
    [{ $and: [] }, true],
  ],
  $anyElementTrue: [
    [{ $anyElementTrue: [[false, 0]] }, false],
    [{ $anyElementTrue: [[null, "x"]] }, true],
  ],
  $arrayElemAt: [
    [{ $arrayElemAt: [[1, 2, 3], -1] }, 3],
    [{ $arrayElemAt: [[1], 5] }, undefined],
    [{ $arrayElemAt: ["$none", 0] }, null],
  ],
  $arrayToObject: [
    [
      {
        $arrayToObject: [
          [
            ["a", 1],
            ["b", 2],
          ],
        ],
      },
      { a: 1, b: 2 },
    ],
    [{ $arrayToObject: "$x" }, { k: 5 }, { x: [{ k: "k", v: 5 }] }],
  ],
  $asin: [[{ $asin: 0 }, d(0)]],
  $asinh: [[{ $asinh: 0 }, d(0)]],
  $atan: [[{ $atan: 0 }, d(0)]],
  $atan2: [[{ $atan2: [0, 1] }, d(0)]],
  $atanh: [[{ $atanh: 0 }, d(0)]],
  $avg: [
    [{ $avg: [1, 2, 4] }, 7 / 3],
    [{ $avg: "$x" }, d(2), { x: [1, 3, "no"] }],
    [{ $avg: ["a"] }, null],
    [{ $avg: [dec("1"), 2] }, dec("1.5")],
  ],
  $binarySize: [
    [{ $binarySize: "é" }, 2],
    [{ $binarySize: new Binary(Buffer.from("abc")) }, 3],
  ],
  $bitAnd: [
    [{ $bitAnd: [6, 3] }, 2],
    [{ $bitAnd: [long(6), 3] }, long(2)],
  ],
  $bitNot: [[{ $bitNot: 5 }, -6]],
  $bitOr: [[{ $bitOr: [4, 1] }, 5]],
  $bitXor: [[{ $bitXor: [6, 3] }, 5]],
  $bsonSize: [
    [{ $bsonSize: { a: 1 } }, 12],
    [{ $bsonSize: "$none" }, null],
  ],
  $ceil: [
    [{ $ceil: 1.2 }, d(2)],
    [{ $ceil: 3 }, 3],
    [{ $ceil: dec("-1.5") }, dec("-1")],
  ],
  $cmp: [
    [{ $cmp: [1, 2] }, -1],
    [{ $cmp: ["a", 1] }, 1],
    [{ $cmp: ["$none", null] }, -1],
  ],
  $concat: [
    [{ $concat: ["a", "b"] }, "ab"],
    [{ $concat: ["a", null] }, null],
  ],
  $concatArrays: [
    [{ $concatArrays: [[1], [2, 3]] }, [1, 2, 3]],
    [{ $concatArrays: [[1], null] }, null],
  ],
  $cond: [
    [{ $cond: [true, "y", "n"] }, "y"],
    [{ $cond: { if: "$none", then: 1, else: 2 } }, 2],
  ],
  $convert: [
    [{ $convert: { input: "12", to: "int" } }, 12],
    [{ $convert: { input: "x", to: "int", onError: "bad" } }, "bad"],
    [{ $convert: { input: null, to: "int", onNull: 0 } }, 0],
    [{ $convert: { input: 1.9, to: 16 } }, 1],
    [{ $convert: { input: true, to: "string" } }, "true"],
  ],
  $cos: [[{ $cos: 0 }, d(1)]],
  $cosh: [[{ $cosh: 0 }, d(1)]],
  $dateAdd: [
    [{ $dateAdd: { startDate: date("2024-01-31T10:00:00Z"), unit: "month", amount: 1 } }, date("2024-02-29T10:00:00Z")],
    [
      { $dateAdd: { startDate: date("2024-03-30T23:30:00Z"), unit: "day", amount: 1, timezone: "Europe/Paris" } },
      date("2024-03-31T22:30:00Z"),
    ],
    [{ $dateAdd: { startDate: march, unit: "hour", amount: 2 } }, date("2024-04-01T01:30:05.123Z")],
  ],
  $dateDiff: [
    [
      { $dateDiff: { startDate: date("2024-01-31T23:59:59Z"), endDate: date("2024-02-01T00:00:00Z"), unit: "month" } },
      long(1),
    ],
    [
      { $dateDiff: { startDate: date("2024-03-02T00:00:00Z"), endDate: date("2024-03-03T00:00:00Z"), unit: "week" } },
      long(1),
    ],
    [
      {
        $dateDiff: {
          startDate: date("2024-03-03T00:00:00Z"),
          endDate: date("2024-03-04T00:00:00Z"),
          unit: "week",
          startOfWeek: "mon",
        },
      },
      long(1),
    ],
    [
      {
        $dateDiff: {
          startDate: date("2024-03-30T22:30:00Z"),
          endDate: date("2024-03-30T23:30:00Z"),
          unit: "day",
          timezone: "Europe/Paris",
        },
      },
      long(1),
    ],
    [
      {
        $dateDiff: { startDate: date("2024-12-31T00:00:00Z"), endDate: date("2025-01-01T00:00:00Z"), unit: "quarter" },
      },
      long(1),
    ],
  ],
  $dateFromParts: [
    [{ $dateFromParts: { year: 2024, month: 14, day: 1 } }, date("2025-02-01T00:00:00Z")],
    [
      { $dateFromParts: { year: 2024, month: 7, day: 1, hour: 12, timezone: "Europe/Paris" } },
      date("2024-07-01T10:00:00Z"),
    ],
    [{ $dateFromParts: { isoWeekYear: 2024, isoWeek: 1, isoDayOfWeek: 1 } }, date("2024-01-01T00:00:00Z")],
  ],
  $dateFromString: [
    [{ $dateFromString: { dateString: "2024-03-01T10:00:00+02:00" } }, date("2024-03-01T08:00:00Z")],
    [{ $dateFromString: { dateString: "01/02/2024", format: "%d/%m/%Y" } }, date("2024-02-01T00:00:00Z")],
    [{ $dateFromString: { dateString: "2024-07-01", timezone: "America/New_York" } }, date("2024-07-01T04:00:00Z")],
    [{ $dateFromString: { dateString: "nonsense", onError: "bad" } }, "bad"],
    [{ $dateFromString: { dateString: null, onNull: "none" } }, "none"],
  ],
  $dateSubtract: [
    [
      { $dateSubtract: { startDate: date("2024-03-31T00:00:00Z"), unit: "month", amount: 1 } },
      date("2024-02-29T00:00:00Z"),
    ],
  ],
  $dateToParts: [
    [
      { $dateToParts: { date: march } },
      { year: 2024, month: 3, day: 31, hour: 23, minute: 30, second: 5, millisecond: 123 },
    ],
    [
      { $dateToParts: { date: march, timezone: "Europe/Paris", iso8601: true } },
      { isoWeekYear: 2024, isoWeek: 14, isoDayOfWeek: 1, hour: 1, minute: 30, second: 5, millisecond: 123 },
    ],
  ],
  $dateToString: [
    [{ $dateToString: { date: march } }, "2024-03-31T23:30:05.123Z"],
    [
      { $dateToString: { date: march, format: "%d.%m.%Y %H:%M %z", timezone: "Europe/Paris" } },
      "01.04.2024 01:30 +0200",
    ],
    [{ $dateToString: { date: march, format: "%G-W%V-%u %j %U %w %%" } }, "2024-W13-7 091 13 1 %"],
    [{ $dateToString: { date: "$none", onNull: "-" } }, "-"],
  ],
  $dateTrunc: [
    [{ $dateTrunc: { date: march, unit: "month" } }, date("2024-03-01T00:00:00Z")],
    [{ $dateTrunc: { date: march, unit: "day", timezone: "Europe/Paris" } }, date("2024-03-31T22:00:00Z")],
    [{ $dateTrunc: { date: march, unit: "week", startOfWeek: "monday" } }, date("2024-03-25T00:00:00Z")],
    [{ $dateTrunc: { date: march, unit: "minute", binSize: 15 } }, date("2024-03-31T23:30:00Z")],
    [{ $dateTrunc: { date: march, unit: "quarter", binSize: 2 } }, date("2024-01-01T00:00:00Z")],
  ],
  $dayOfMonth: [
    [{ $dayOfMonth: march }, 31],
    [{ $dayOfMonth: { date: march, timezone: "+01:00" } }, 1],
  ],
  $dayOfWeek: [[{ $dayOfWeek: march }, 1]],
  $dayOfYear: [[{ $dayOfYear: march }, 91]],
  $degreesToRadians: [[{ $degreesToRadians: 180 }, Math.PI]],
  $divide: [
    [{ $divide: [4, 2] }, d(2)],
    [{ $divide: [dec("1"), 3] }, dec("0.3333333333333333333333333333333333")],
    [{ $divide: [1, null] }, null],
  ],
  $eq: [
    [{ $eq: [1, long(1)] }, true],
    [
      {
        $eq: [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
      },
      false,
    ],
    [{ $eq: ["$none", null] }, false],
  ],
  $exp: [[{ $exp: 0 }, d(1)]],
  $expr: [[{ $expr: { $gt: [2, 1] } }, true]],
  $filter: [
    [{ $filter: { input: [1, 2, 3], as: "n", cond: { $gt: ["$$n", 1] } } }, [2, 3]],
    [{ $filter: { input: [1, 2, 3], cond: true, limit: 2 } }, [1, 2]],
    [{ $filter: { input: null, cond: true } }, null],
  ],
  $first: [
    [{ $first: [[7, 8]] }, 7],
    [{ $first: [[]] }, undefined],
  ],
  $firstN: [[{ $firstN: { n: 2, input: [1, 2, 3] } }, [1, 2]]],
  $floor: [
    [{ $floor: -1.2 }, d(-2)],
    [{ $floor: long(5) }, long(5)],
  ],
  $getField: [
    [{ $getField: "a.b" }, 5, { "a.b": 5 }],
    [{ $getField: { field: "x", input: { x: 1 } } }, 1],
    [{ $getField: { field: { $literal: "$p" }, input: "$o" } }, undefined, { o: {} }],
  ],
  $gt: [
    [{ $gt: [3, 2] }, true],
    [{ $gt: ["$none", null] }, false],
    [{ $gt: ["a", 5] }, true],
    [{ $gt: [1, null] }, true],
  ],
  $gte: [[{ $gte: [2, d(2)] }, true]],
  $hour: [[{ $hour: march }, 23]],
  $ifNull: [
    [{ $ifNull: ["$none", null, 3] }, 3],
    [{ $ifNull: [0, 3] }, 0],
  ],
  $in: [
    [{ $in: [2, [1, 2]] }, true],
    [{ $in: [long(2), [1, d(2)]] }, true],
    [{ $in: [9, []] }, false],
  ],
  $indexOfArray: [
    [{ $indexOfArray: [["a", "b", "a"], "a", 1] }, 2],
    [{ $indexOfArray: [[1], 2] }, -1],
  ],
  $indexOfBytes: [[{ $indexOfBytes: ["né!", "!"] }, 3]],
  $indexOfCP: [
    [{ $indexOfCP: ["né!", "!"] }, 2],
    [{ $indexOfCP: ["😀x", "x"] }, 1],
    [{ $indexOfCP: ["abc", "a", 1] }, -1],
  ],
  $isArray: [
    [{ $isArray: [[1]] }, true],
    [{ $isArray: "x" }, false],
  ],
  $isNumber: [
    [{ $isNumber: dec("1") }, true],
    [{ $isNumber: "1" }, false],
  ],
  $isoDayOfWeek: [[{ $isoDayOfWeek: march }, 7]],
  $isoWeek: [[{ $isoWeek: date("2021-01-03T00:00:00Z") }, 53]],
  $isoWeekYear: [[{ $isoWeekYear: date("2021-01-03T00:00:00Z") }, long(2020)]],
  $last: [[{ $last: [[7, 8]] }, 8]],
  $lastN: [[{ $lastN: { n: 2, input: [1, 2, 3] } }, [2, 3]]],
  $let: [[{ $let: { vars: { a: 2, b: "$x" }, in: { $multiply: ["$$a", "$$b"] } } }, 6, { x: 3 }]],
  $literal: [[{ $literal: "$x" }, "$x"]],
  $ln: [[{ $ln: 1 }, d(0)]],
  $log: [[{ $log: [100, 10] }, d(2)]],
  $log10: [[{ $log10: 1000 }, d(3)]],
  $lt: [
    [{ $lt: [1, 2] }, true],
    [{ $lt: [null, 1] }, true],
  ],
  $lte: [[{ $lte: [2, 2] }, true]],
  $ltrim: [[{ $ltrim: { input: "  a " } }, "a "]],
  $map: [
    [{ $map: { input: [1, 2], as: "n", in: { $add: ["$$n", 1] } } }, [2, 3]],
    [{ $map: { input: ["$none"], in: "$$this" } }, [null]],
  ],
  $max: [
    [{ $max: [1, "a", null] }, "a"],
    [{ $max: "$x" }, 9, { x: [3, 9] }],
  ],
  $maxN: [[{ $maxN: { n: 2, input: [1, 3, null, 2] } }, [3, 2]]],
  $mergeObjects: [[{ $mergeObjects: [{ a: 1, b: 1 }, null, { b: 2 }] }, { a: 1, b: 2 }]],
  $millisecond: [[{ $millisecond: march }, 123]],
  $min: [[{ $min: [2, 1, null] }, 1]],
  $minN: [[{ $minN: { n: 2, input: [1, 3, 2] } }, [1, 2]]],
  $minute: [[{ $minute: march }, 30]],
  $mod: [
    [{ $mod: [-7, 3] }, -1],
    [{ $mod: [7.5, 2] }, 1.5],
    [{ $mod: [dec("7.5"), 2] }, dec("1.5")],
  ],
  $month: [[{ $month: march }, 3]],
  $multiply: [
    [{ $multiply: [2, 3] }, 6],
    [{ $multiply: [dec("1.10"), 2] }, dec("2.20")],
    [{ $multiply: [100000, 100000] }, long("10000000000")],
  ],
  $ne: [[{ $ne: [1, "1"] }, true]],
  $not: [
    [{ $not: [0] }, true],
    [{ $not: "$x" }, false, { x: [] }],
  ],
  $objectToArray: [
    [
      { $objectToArray: { b: 1, a: 2 } },
      [
        { k: "b", v: 1 },
        { k: "a", v: 2 },
      ],
    ],
  ],
  $or: [
    [{ $or: [false, 3] }, true],
    [{ $or: [] }, false],
  ],
  $pow: [
    [{ $pow: [2, 10] }, 1024],
    [{ $pow: [2, 40] }, long("1099511627776")],
    [{ $pow: [2, -1] }, 0.5],
  ],
  $radiansToDegrees: [[{ $radiansToDegrees: Math.PI }, d(180)]],
  $rand: [[{ $lt: [{ $rand: {} }, 1] }, true]],
  $range: [
    [{ $range: [0, 10, 3] }, [0, 3, 6, 9]],
    [{ $range: [3, 0, -1] }, [3, 2, 1]],
    [{ $range: [0, 5, -1] }, []],
  ],
  $reduce: [[{ $reduce: { input: ["a", "b"], initialValue: "", in: { $concat: ["$$value", "$$this"] } } }, "ab"]],
  $regexFind: [
    [{ $regexFind: { input: "né12", regex: /(\d)(x)?/ } }, { match: "1", idx: 2, captures: ["1", null] }],
    [{ $regexFind: { input: "a", regex: "b" } }, null],
  ],
  $regexFindAll: [
    [
      { $regexFindAll: { input: "a1b2", regex: "[0-9]" } },
      [
        { match: "1", idx: 1, captures: [] },
        { match: "2", idx: 3, captures: [] },
      ],
    ],
  ],
  $regexMatch: [
    [{ $regexMatch: { input: "ABC", regex: "b", options: "i" } }, true],
    [{ $regexMatch: { input: null, regex: "b" } }, false],
  ],
  $replaceAll: [[{ $replaceAll: { input: "a.b.c", find: ".", replacement: { $literal: "$&" } } }, "a$&b$&c"]],
  $replaceOne: [[{ $replaceOne: { input: "aa", find: "a", replacement: "b" } }, "ba"]],
  $reverseArray: [[{ $reverseArray: [[1, 2]] }, [2, 1]]],
  $round: [
    [{ $round: [2.5, 0] }, d(2)],
    [{ $round: [3.5] }, d(4)],
    [{ $round: [1234, -2] }, 1200],
    [{ $round: [dec("2.345"), 2] }, dec("2.34")],
    [{ $round: [19.25, 1] }, 19.2],
  ],
  $rtrim: [[{ $rtrim: { input: "axx", chars: "x" } }, "a"]],
  $second: [[{ $second: march }, 5]],
  $setDifference: [[{ $setDifference: [[1, 2, 2, 3], [3]] }, [1, 2]]],
  $setEquals: [
    [
      {
        $setEquals: [
          [1, 2, 1],
          [2, 1],
        ],
      },
      true,
    ],
  ],
  $setField: [
    [{ $setField: { field: "a.b", input: { x: 1 }, value: 2 } }, { x: 1, "a.b": 2 }],
    [{ $setField: { field: "x", input: { x: 1 }, value: "$$REMOVE" } }, {}],
  ],
  $setIntersection: [
    [
      {
        $setIntersection: [
          [3, 1, 2],
          [2, 3, 3],
        ],
      },
      [2, 3],
    ],
  ],
  $setIsSubset: [
    [
      {
        $setIsSubset: [
          [1, 1],
          [1, 2],
        ],
      },
      true,
    ],
  ],
  $setUnion: [
    [
      {
        $setUnion: [
          [2, 1],
          [2, 3],
        ],
      },
      [1, 2, 3],
    ],
    [{ $setUnion: [[1], null] }, null],
  ],
  $sin: [[{ $sin: 0 }, d(0)]],
  $sinh: [[{ $sinh: 0 }, d(0)]],
  $size: [[{ $size: [[1, 2]] }, 2]],
  $slice: [
    [{ $slice: [[1, 2, 3], -2] }, [2, 3]],
    [{ $slice: [[1, 2, 3], 1, 1] }, [2]],
    [{ $slice: [[1, 2, 3], -5, 2] }, [1, 2]],
  ],
  $sortArray: [
    [{ $sortArray: { input: [3, "a", 1], sortBy: -1 } }, ["a", 3, 1]],
    [{ $sortArray: { input: [{ k: 2 }, { k: 1 }], sortBy: { k: 1 } } }, [{ k: 1 }, { k: 2 }]],
  ],
  $split: [
    [{ $split: ["a,b,", ","] }, ["a", "b", ""]],
    [{ $split: [null, ","] }, null],
  ],
  $sqrt: [[{ $sqrt: 9 }, d(3)]],
  $stdDevPop: [
    [{ $stdDevPop: [1, 3] }, d(1)],
    [{ $stdDevPop: [] }, null],
  ],
  $stdDevSamp: [
    [{ $stdDevSamp: [1, 3] }, Math.SQRT2],
    [{ $stdDevSamp: [1] }, null],
  ],
  $strLenBytes: [[{ $strLenBytes: "né" }, 3]],
  $strLenCP: [[{ $strLenCP: "n😀" }, 2]],
  $strcasecmp: [[{ $strcasecmp: ["ABC", "abd"] }, -1]],
  $substr: [
    [{ $substr: ["hello", 1, 2] }, "el"],
    [{ $substr: ["hello", 1, -1] }, "ello"],
  ],
  $substrBytes: [[{ $substrBytes: ["hello", 9, 2] }, ""]],
  $substrCP: [[{ $substrCP: ["n😀é", 1, 2] }, "😀é"]],
  $subtract: [
    [{ $subtract: [5, 7] }, -2],
    [{ $subtract: [date("2024-01-02T00:00:00Z"), date("2024-01-01T00:00:00Z")] }, long(86_400_000)],
    [{ $subtract: [date("1970-01-01T00:00:01Z"), 1000] }, date("1970-01-01T00:00:00Z")],
  ],
  $sum: [
    [{ $sum: [1, "a", 2] }, 3],
    [{ $sum: "$x" }, d(1), { x: [0.1, 0.2, 0.3, 0.4] }],
    [{ $sum: [2147483647, 1] }, long("2147483648")],
    [{ $sum: ["a"] }, 0],
  ],
  $switch: [
    [
      {
        $switch: {
          branches: [
            { case: false, then: 1 },
            { case: { $eq: [1, 1] }, then: 2 },
          ],
          default: 3,
        },
      },
      2,
    ],
  ],
  $tan: [[{ $tan: 0 }, d(0)]],
  $tanh: [[{ $tanh: 0 }, d(0)]],
  $toBool: [
    [{ $toBool: "false" }, true],
    [{ $toBool: 0 }, false],
  ],
  $toDate: [
    [{ $toDate: long(0) }, date("1970-01-01T00:00:00Z")],
    [{ $toDate: "2024-01-01T00:00:00Z" }, date("2024-01-01T00:00:00Z")],
    [{ $toDate: id }, date("2024-01-15T22:28:16Z")],
  ],
  $toDecimal: [
    [{ $toDecimal: "0.10" }, dec("0.10")],
    [{ $toDecimal: 0.1 }, dec("0.100000000000000")],
  ],
  $toDouble: [
    [{ $toDouble: "2" }, d(2)],
    [{ $toDouble: true }, d(1)],
  ],
  $toInt: [
    [{ $toInt: dec("7.9") }, 7],
    [{ $toInt: "-3" }, -3],
  ],
  $toLong: [
    [{ $toLong: 5 }, long(5)],
    [{ $toLong: date("1970-01-01T00:00:01Z") }, long(1000)],
  ],
  $toLower: [
    [{ $toLower: "AÉ" }, "aÉ"],
    [{ $toLower: null }, ""],
  ],
  $toObjectId: [[{ $toObjectId: "65a5b1800123456789abcdef" }, id]],
  $toString: [
    [{ $toString: id }, "65a5b1800123456789abcdef"],
    [{ $toString: 2.5 }, "2.5"],
    [{ $toString: long("9007199254740993") }, "9007199254740993"],
    [{ $toString: march }, "2024-03-31T23:30:05.123Z"],
  ],
  $toUpper: [[{ $toUpper: "aß" }, "Aß"]],
  $trim: [
    [{ $trim: { input: "\n a\t" } }, "a"],
    [{ $trim: { input: "xay", chars: "xy" } }, "a"],
  ],
  $trunc: [
    [{ $trunc: [-1.99] }, d(-1)],
    [{ $trunc: [1.999, 2] }, 1.99],
  ],
  $type: [
    [{ $type: "$none" }, "missing"],
    [{ $type: long(1) }, "long"],
    [{ $type: [[]] }, "array"],
  ],
  $unsetField: [[{ $unsetField: { field: "a", input: { a: 1, b: 2 } } }, { b: 2 }]],
  $week: [[{ $week: march }, 13]],
  $year: [[{ $year: march }, 2024]],
  $zip: [
    [{ $zip: { inputs: [[1, 2], ["a"]] } }, [[1, "a"]]],
    [
      { $zip: { inputs: [[1, 2], ["a"]], useLongestLength: true, defaults: [0, "-"] } },
      [
        [1, "a"],
        [2, "-"],
      ],
    ],
  ],
};
