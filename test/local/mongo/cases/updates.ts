import { Decimal128, Double, Int32, Long } from "bson";
import type { Document, UpdateOptions } from "mongodb";

/** A document, an update, and the updated document (both without _id). */
export type UpdateCase = readonly [
  doc: Document,
  update: Document | Document[],
  becomes: Document,
  options?: UpdateOptions & { filter?: Document },
];

const long = (value: number | string): Long => Long.fromString(String(value));

export const updateCases: Record<string, readonly UpdateCase[]> = {
  $set: [
    [{ z: 1 }, { $set: { b: 1, a: 2, "n.m": 3 } }, { z: 1, a: 2, b: 1, n: { m: 3 } }],
    [{ a: [1, 2] }, { $set: { "a.1": 9, "a.3": 4 } }, { a: [1, 9, null, 4] }],
    [
      { a: [{ k: 1 }, { k: 2 }] },
      { $set: { "a.$.v": 5 } },
      { a: [{ k: 1 }, { k: 2, v: 5 }] },
      { filter: { "a.k": 2 } },
    ],
    [
      { a: [{ k: 1 }, { k: 2 }] },
      { $set: { "a.$[].v": 0 } },
      {
        a: [
          { k: 1, v: 0 },
          { k: 2, v: 0 },
        ],
      },
    ],
    [
      { g: [{ s: [1, 5] }, { s: [7] }] },
      { $set: { "g.$[].s.$[x]": 9 } },
      { g: [{ s: [1, 9] }, { s: [9] }] },
      { arrayFilters: [{ x: { $gte: 5 } }] },
    ],
    [
      {
        a: [
          { k: 1, v: 1 },
          { k: 2, v: 2 },
        ],
      },
      { $set: { "a.$[e].v": 0, "a.$[f].w": 1 } },
      {
        a: [
          { k: 1, v: 1, w: 1 },
          { k: 2, v: 0 },
        ],
      },
      { arrayFilters: [{ "e.k": 2 }, { "f.k": 1 }] },
    ],
    [{ a: 1 }, [{ $set: { b: { $add: ["$a", 1] }, a: "$$REMOVE" } }], { b: 2 }],
  ],
  $unset: [
    [{ a: 1, b: { c: 1, d: 2 } }, { $unset: { a: "", "b.c": "" } }, { b: { d: 2 } }],
    [{ a: [1, 2] }, { $unset: { "a.0": "" } }, { a: [null, 2] }],
  ],
  $inc: [
    [{ i: 1 }, { $inc: { i: 2, j: 5 } }, { i: 3, j: 5 }],
    [
      { i: 2147483647, l: long(5), m: Decimal128.fromString("1.1") },
      { $inc: { i: 1, l: 1, m: Decimal128.fromString("0.2") } },
      { i: long("2147483648"), l: long(6), m: Decimal128.fromString("1.3") },
    ],
    [{ i: 1 }, { $inc: { i: 0.5 } }, { i: 1.5 }],
    [{ i: new Double(1) }, { $inc: { i: 1 } }, { i: new Double(2) }],
  ],
  $mul: [[{ a: 3 }, { $mul: { a: 2, b: long(4) } }, { a: 6, b: long(0) }]],
  $min: [[{ a: 5, b: "x" }, { $min: { a: 3, b: 1, c: 2 } }, { a: 3, b: 1, c: 2 }]],
  $max: [[{ a: 5, b: 1 }, { $max: { a: 3, b: "x" } }, { a: 5, b: "x" }]],
  $rename: [
    [{ a: 1, b: { c: 2 } }, { $rename: { a: "d.e", "b.c": "f" } }, { b: {}, d: { e: 1 }, f: 2 }],
    [{ a: 1 }, { $rename: { none: "x" } }, { a: 1 }],
  ],
  $setOnInsert: [[{ a: 1 }, { $setOnInsert: { b: 1 }, $set: { c: 1 } }, { a: 1, c: 1 }]],
  $currentDate: [[{ a: 1 }, { $currentDate: { d: true } }, { a: 1, d: new Date(Date.UTC(2026, 0, 15, 12)) }]],
  $bit: [
    [
      { a: 13, b: long(1) },
      { $bit: { a: { and: new Int32(10) }, b: { or: new Int32(4) }, c: { xor: new Int32(3) } } },
      { a: 8, b: long(5), c: 3 },
    ],
  ],
  $push: [
    [{ a: [3, 1] }, { $push: { a: { $each: [5, 2], $sort: 1, $slice: 3 } } }, { a: [1, 2, 3] }],
    [{ a: [1] }, { $push: { a: { $each: [9], $position: 0 }, b: [1] } }, { a: [9, 1], b: [[1]] }],
    [
      { a: [{ s: 2 }, { s: 3 }] },
      { $push: { a: { $each: [{ s: 1 }], $sort: { s: -1 }, $slice: -2 } } },
      { a: [{ s: 2 }, { s: 1 }] },
    ],
  ],
  $addToSet: [
    [{ a: [1, { x: 1 }] }, { $addToSet: { a: { $each: [new Double(1), { x: 1 }, 2] } } }, { a: [1, { x: 1 }, 2] }],
    [{}, { $addToSet: { a: 1 } }, { a: [1] }],
  ],
  $pop: [[{ a: [1, 2, 3], b: [1, 2] }, { $pop: { a: 1, b: -1 } }, { a: [1, 2], b: [2] }]],
  $pull: [
    [{ a: [1, 2, 2, 3] }, { $pull: { a: 2 } }, { a: [1, 3] }],
    [{ a: [{ v: 5, k: 1 }, { v: 9 }] }, { $pull: { a: { v: { $gt: 8 } } } }, { a: [{ v: 5, k: 1 }] }],
    [{ a: [1, 5, "x"] }, { $pull: { a: { $gte: 5 } } }, { a: [1, "x"] }],
  ],
  $pullAll: [[{ a: [1, 2, 3, 1] }, { $pullAll: { a: [1, 3] } }, { a: [2] }]],
};
