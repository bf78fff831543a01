import { Binary, Decimal128, Double, Long, ObjectId } from "bson";
import type { Document } from "mongodb";

/** Values of a field `a` (or whole documents), a filter, and the positions of the documents that match. */
export type QueryCase = readonly [docs: readonly Document[], filter: Document, found: readonly number[]];

const on = (...values: unknown[]): Document[] => values.map((a) => (a === undefined ? {} : { a }));
const dec = (text: string): Decimal128 => Decimal128.fromString(text);

export const queryCases: Record<string, readonly QueryCase[]> = {
  $eq: [
    [on(null, undefined, 1, [null], []), { a: null }, [0, 1, 3]],
    [on([1, 5], 5, [[5]], [5, 1]), { a: { $eq: 5 } }, [0, 1, 3]],
    [on([1, 5], [5, 1], [[1, 5]]), { a: [1, 5] }, [0, 2]],
    [on({ x: 1, y: 2 }, { y: 2, x: 1 }), { a: { x: 1, y: 2 } }, [0]],
    [on(dec("1.50"), 1.5, "1.5"), { a: 1.5 }, [0, 1]],
    [
      on(Long.fromString("9007199254740993"), Long.fromString("9007199254740992")),
      { a: Long.fromString("9007199254740993") },
      [0],
    ],
    [on(Number.NaN, 1), { a: Number.NaN }, [0]],
    [[{ a: [{ k: 1 }, { k: 2 }] }, { a: { k: 2 } }, { a: [[{ k: 2 }]] }], { "a.k": 2 }, [0, 1]],
    [on([5, 6], { 1: 6 }, [6]), { "a.1": 6 }, [0, 1]],
    [on({}, 4, [], [1], [{}], [{ b: 1 }]), { "a.b": null }, [0, 1, 4]],
    [on(new Binary(Buffer.from([1])), new Binary(Buffer.from([2]))), { a: new Binary(Buffer.from([2])) }, [1]],
  ],
  $ne: [
    [on(null, undefined, 1), { a: { $ne: null } }, [2]],
    [on([1, 2], 3), { a: { $ne: 2 } }, [1]],
  ],
  $gt: [
    [on("10", new Date(9e12), 7, null, undefined, dec("6.5"), true), { a: { $gt: 5 } }, [2, 5]],
    [on([0, 5], [2]), { a: { $gt: 1, $lt: 3 } }, [0, 1]],
    [
      on(new ObjectId("000000000000000000000001"), new ObjectId("000000000000000000000009")),
      { a: { $gt: new ObjectId("000000000000000000000005") } },
      [1],
    ],
    [on(null, undefined), { a: { $gt: null } }, []],
  ],
  $gte: [
    [on(null, undefined, 1), { a: { $gte: null } }, [0, 1]],
    [on(new Date(1), new Date(5), 3), { a: { $gte: new Date(5) } }, [1]],
  ],
  $lt: [
    [on("10", 1, "b"), { a: { $lt: "a" } }, [0]],
    [on("\uFFFD", "\u{1F600}"), { a: { $lt: "\u{1F600}" } }, [0]],
    [on(Number.NaN, 1), { a: { $lt: 5 } }, [1]],
  ],
  $lte: [[on(false, true, 0), { a: { $lte: false } }, [0]]],
  $in: [
    [on(null, undefined, 1, 2), { a: { $in: [null, 1] } }, [0, 1, 2]],
    [on("bar", "baz", "qux", [1, "baz"]), { a: { $in: [/z$/, "qux"] } }, [1, 2, 3]],
    [on(1, 2, 3, 4, 5, new Double(6), dec("7")), { a: { $in: [2, 4, 6, 7, 8] } }, [1, 3, 5, 6]],
    [on(1), { a: { $in: [] } }, []],
  ],
  $nin: [[on(1, 2, undefined, [1]), { a: { $nin: [1] } }, [1, 2]]],
  $and: [[on(1, 2, 3), { $and: [{ a: { $gt: 1 } }, { a: { $lt: 3 } }] }, [1]]],
  $or: [[on(1, 2, 3), { $or: [{ a: 1 }, { a: 3 }] }, [0, 2]]],
  $nor: [[on(1, 2, undefined), { $nor: [{ a: 1 }] }, [1, 2]]],
  $not: [
    [on(1, 2, undefined, "x"), { a: { $not: { $gt: 1 } } }, [0, 2, 3]],
    [on("ab", "b", 1), { a: { $not: /^a/ } }, [1, 2]],
  ],
  $exists: [
    [on(null, undefined, 1), { a: { $exists: false } }, [1]],
    [on(null, undefined), { a: { $exists: true } }, [0]],
    [[{ a: [{ b: 1 }] }, { a: [] }], { "a.b": { $exists: true } }, [0]],
  ],
  $type: [
    [on(dec("1"), Long.fromNumber(2), 5, "5", [1]), { a: { $type: "number" } }, [0, 1, 2, 4]],
    [on(new ObjectId(), "x", [1]), { a: { $type: ["objectId", "array"] } }, [0, 2]],
    [on(5, 5.5), { a: { $type: 1 } }, [1]],
  ],
  $expr: [
    [
      [
        { a: 1, b: 2 },
        { a: 3, b: 2 },
      ],
      { $expr: { $gt: ["$a", "$b"] } },
      [1],
    ],
    [on([1, 2], 1), { $expr: { $eq: ["$a", 1] } }, [1]],
    [on(undefined, null), { $expr: { $eq: ["$a", null] } }, [1]],
  ],
  $jsonSchema: [
    [on("x", 1, undefined), { $jsonSchema: { required: ["a"], properties: { a: { bsonType: ["string"] } } } }, [0]],
    [
      on([1, 2], [1, 1], [1, "x"]),
      { $jsonSchema: { properties: { a: { type: "array", items: { type: "number" }, uniqueItems: true } } } },
      [0],
    ],
    [
      on({ x: 1 }, { x: 1, y: 2 }),
      { $jsonSchema: { properties: { a: { additionalProperties: false, properties: { x: {} } } } } },
      [0],
    ],
    [
      on(3, 5, 10),
      { $jsonSchema: { properties: { a: { minimum: 3, exclusiveMinimum: true, multipleOf: 5 } } } },
      [1, 2],
    ],
    [on("ab", "b"), { $jsonSchema: { properties: { a: { anyOf: [{ pattern: "^a" }, { maxLength: 0 }] } } } }, [0]],
  ],
  $mod: [[on(4, 5, "4", -4, 4.9, Long.fromNumber(8)), { a: { $mod: [4, 0] } }, [0, 3, 4, 5]]],
  $regex: [
    [on("Foo", "bar", ["x", "FOO"]), { a: { $regex: "foo", $options: "i" } }, [0, 2]],
    [on("a\nb", "b"), { a: { $regex: "^b", $options: "m" } }, [0, 1]],
    [on("a\r", "ab", "a"), { a: /^a.$/ }, [0, 1]],
    [on("foobar"), { a: { $regex: "foo  bar # comment", $options: "x" } }, [0]],
    [on("ab\n", "ab"), { a: /b$/ }, [0, 1]],
    [on("a-1", "a_1"), { a: { $regex: "^[\\w-]+$" } }, [0, 1]],
    [on("x{1", "x1"), { a: { $regex: "x{1" } }, [0]],
    [on("aB", "ab"), { a: { $regex: "(?i)AB" } }, [0, 1]],
    [on("7", "x"), { a: { $regex: "[[:digit:]]" } }, [0]],
  ],
  $options: [[on("FOO"), { a: { $options: "i", $regex: "foo" } }, [0]]],
  $all: [
    [on([1, 2, 3], [1], 1), { a: { $all: [1] } }, [0, 1, 2]],
    [on([{ k: 1, v: 1 }], [{ k: 1 }, { v: 1 }]), { a: { $all: [{ $elemMatch: { k: 1, v: 1 } }] } }, [0]],
    [on([]), { a: { $all: [] } }, []],
  ],
  $elemMatch: [
    [on([0, 5], [2], [{ k: 1 }]), { a: { $elemMatch: { $gt: 1, $lt: 3 } } }, [1]],
    [
      on(
        [
          { k: 1, v: 2 },
          { k: 2, v: 1 },
        ],
        [{ k: 1, v: 1 }],
      ),
      { a: { $elemMatch: { k: 1, v: 1 } } },
      [1],
    ],
    [on([[5]], [5]), { a: { $elemMatch: { $gt: 4 } } }, [1]],
  ],
  $size: [[on([1, 2], [1], "ab", undefined), { a: { $size: 2 } }, [0]]],
  $bitsAllSet: [[on(5, 4, -1, new Binary(Buffer.from([5])), "5"), { a: { $bitsAllSet: 5 } }, [0, 2, 3]]],
  $bitsAllClear: [[on(5, 2), { a: { $bitsAllClear: [0, 2] } }, [1]]],
  $bitsAnySet: [[on(4, 2), { a: { $bitsAnySet: 5 } }, [0]]],
  $bitsAnyClear: [[on(5, 4), { a: { $bitsAnyClear: 5 } }, [1]]],
  $comment: [[on(1), { a: 1, $comment: "why" }, [0]]],
  $alwaysTrue: [[on(1, 2), { $alwaysTrue: 1 }, [0, 1]]],
  $alwaysFalse: [[on(1, 2), { $alwaysFalse: 1 }, []]],
};
