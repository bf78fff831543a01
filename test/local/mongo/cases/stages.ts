import { Long } from "bson";
import type { Document } from "mongodb";

/** Documents, a pipeline and its result. There is also a collection `other`. */
export type StageCase = readonly [
  docs: readonly Document[],
  pipeline: readonly Document[],
  result: readonly Document[],
];

export const otherDocs: Document[] = [
  { _id: 10, f: 1, v: 5 },
  { _id: 11, f: 2, v: 1 },
  { _id: 12, f: 3, v: 9 },
  { _id: 13, v: 0 },
];

const orders: Document[] = [
  { _id: 1, c: "a", q: 2, p: 10, t: ["x", "y"] },
  { _id: 2, c: "b", q: 1, p: 20, t: ["x"] },
  { _id: 3, c: "a", q: 5, p: 1, t: [] },
];
const keyed: Document[] = [{ _id: 1, k: 1 }, { _id: 2, k: [2, 3] }, { _id: 3 }];
const long = (value: number): Long => Long.fromNumber(value);

export const stageCases: Record<string, readonly StageCase[]> = {
  $match: [
    [
      orders,
      [{ $project: { q: 1 } }, { $match: { q: { $gt: 1 } } }],
      [
        { _id: 1, q: 2 },
        { _id: 3, q: 5 },
      ],
    ],
  ],
  $project: [
    [
      [{ _id: 1, i: [{ p: 1, x: 0 }, { p: 2 }, 5] }],
      [{ $project: { "i.p": 1, ps: "$i.p", s: { $sum: "$i.p" } } }],
      [{ _id: 1, i: [{ p: 1 }, { p: 2 }], ps: [1, 2], s: 3 }],
    ],
    [[{ _id: 1, a: { b: 1, c: 2 } }], [{ $project: { _id: 0, a: { b: 0 } } }], [{ a: { c: 2 } }]],
  ],
  $addFields: [
    [
      [{ _id: 1, a: { b: 1, c: 2 } }],
      [{ $addFields: { "a.d": { $add: ["$a.b", 1] }, "a.c": "$$REMOVE" } }],
      [{ _id: 1, a: { b: 1, d: 2 } }],
    ],
  ],
  $set: [
    [[{ _id: 1, a: [{ x: 1 }, 2] }], [{ $set: { "a.y": 3, b: 1 } }], [{ _id: 1, a: [{ x: 1, y: 3 }, { y: 3 }], b: 1 }]],
  ],
  $unset: [[[{ _id: 1, a: { b: 1, c: 2 }, d: 1 }], [{ $unset: ["a.b", "d"] }], [{ _id: 1, a: { c: 2 } }]]],
  $replaceRoot: [[[{ _id: 1, n: { x: 1 } }], [{ $replaceRoot: { newRoot: "$n" } }], [{ x: 1 }]]],
  $replaceWith: [[[{ _id: 1, n: 2 }], [{ $replaceWith: { y: "$n", z: "$none" } }], [{ y: 2 }]]],
  $sort: [
    [
      [{ _id: 1, a: "b" }, { _id: 2, a: 1 }, { _id: 3 }, { _id: 4, a: [] }],
      [{ $project: { a: 1 } }, { $sort: { a: -1 } }],
      [{ _id: 1, a: "b" }, { _id: 2, a: 1 }, { _id: 3 }, { _id: 4, a: [] }],
    ],
  ],
  $limit: [[orders, [{ $project: { _id: 1 } }, { $limit: 2 }], [{ _id: 1 }, { _id: 2 }]]],
  $skip: [[orders, [{ $project: { _id: 1 } }, { $skip: 2 }], [{ _id: 3 }]]],
  $count: [
    [orders, [{ $count: "n" }], [{ n: 3 }]],
    [orders, [{ $match: { none: 1 } }, { $count: "n" }], []],
  ],
  $unwind: [
    [
      orders,
      [
        { $unwind: { path: "$t", includeArrayIndex: "i", preserveNullAndEmptyArrays: true } },
        { $project: { t: 1, i: 1 } },
      ],
      [
        { _id: 1, t: "x", i: long(0) },
        { _id: 1, t: "y", i: long(1) },
        { _id: 2, t: "x", i: long(0) },
        { _id: 3, i: null },
      ],
    ],
    [
      [{ _id: 1, a: { b: [1, 2] } }, { _id: 2, a: { b: 3 } }, { _id: 3 }],
      [{ $unwind: "$a.b" }],
      [
        { _id: 1, a: { b: 1 } },
        { _id: 1, a: { b: 2 } },
        { _id: 2, a: { b: 3 } },
      ],
    ],
  ],
  $group: [
    [
      orders,
      [{ $group: { _id: "$c", n: { $sum: 1 }, all: { $push: "$q" } } }, { $sort: { _id: 1 } }],
      [
        { _id: "a", n: 2, all: [2, 5] },
        { _id: "b", n: 1, all: [1] },
      ],
    ],
    [
      [{ _id: 1, k: null }, { _id: 2 }, { _id: 3, k: long(1) }, { _id: 4, k: 1 }],
      [{ $group: { _id: "$k", n: { $sum: 1 } } }, { $project: { _id: 0, n: 1 } }],
      [{ n: 2 }, { n: 2 }],
    ],
  ],
  $sortByCount: [
    [
      orders,
      [{ $sortByCount: "$c" }],
      [
        { _id: "a", count: 2 },
        { _id: "b", count: 1 },
      ],
    ],
  ],
  $bucket: [
    [
      orders,
      [{ $bucket: { groupBy: "$p", boundaries: [0, 10, 15], default: "more" } }],
      [
        { _id: 0, count: 1 },
        { _id: 10, count: 1 },
        { _id: "more", count: 1 },
      ],
    ],
  ],
  $facet: [
    [
      orders,
      [
        {
          $facet: {
            a: [{ $match: { c: "a" } }, { $count: "n" }],
            b: [{ $sort: { p: -1 } }, { $limit: 1 }, { $project: { p: 1 } }],
          },
        },
      ],
      [{ a: [{ n: 2 }], b: [{ _id: 2, p: 20 }] }],
    ],
  ],
  $lookup: [
    [
      keyed,
      [{ $lookup: { from: "other", localField: "k", foreignField: "f", as: "j" } }, { $project: { j: "$j._id" } }],
      [
        { _id: 1, j: [10] },
        { _id: 2, j: [11, 12] },
        { _id: 3, j: [13] },
      ],
    ],
    [
      [{ _id: 1, k: long(1) }],
      [{ $lookup: { from: "other", localField: "k", foreignField: "f", as: "x.y" } }],
      [{ _id: 1, k: long(1), x: { y: [{ _id: 10, f: 1, v: 5 }] } }],
    ],
    [
      keyed,
      [
        {
          $lookup: {
            from: "other",
            let: { k: "$k" },
            pipeline: [{ $match: { $expr: { $eq: ["$f", "$$k"] } } }, { $project: { v: 1, kk: "$$k" } }],
            as: "j",
          },
        },
        { $match: { _id: { $ne: 2 } } },
        { $project: { j: 1 } },
      ],
      [
        { _id: 1, j: [{ _id: 10, v: 5, kk: 1 }] },
        { _id: 3, j: [{ _id: 13, v: 0 }] },
      ],
    ],
    [
      keyed,
      [
        {
          $lookup: {
            from: "other",
            localField: "k",
            foreignField: "f",
            pipeline: [{ $match: { v: { $gt: 4 } } }],
            as: "j",
          },
        },
        { $project: { j: "$j._id" } },
      ],
      [
        { _id: 1, j: [10] },
        { _id: 2, j: [12] },
        { _id: 3, j: [] },
      ],
    ],
  ],
  $graphLookup: [
    [
      [{ _id: 1 }, { _id: 2, p: 1 }, { _id: 3, p: 2 }],
      [
        {
          $graphLookup: {
            from: "$self",
            startWith: "$_id",
            connectFromField: "_id",
            connectToField: "p",
            as: "d",
            depthField: "l",
            maxDepth: 0,
          },
        },
        { $project: { d: 1 } },
      ],
      [
        { _id: 1, d: [{ _id: 2, p: 1, l: long(0) }] },
        { _id: 2, d: [{ _id: 3, p: 2, l: long(0) }] },
        { _id: 3, d: [] },
      ],
    ],
  ],
  $unionWith: [
    [
      [{ _id: 1 }],
      [{ $unionWith: { coll: "other", pipeline: [{ $match: { v: 9 } }] } }],
      [{ _id: 1 }, { _id: 12, f: 3, v: 9 }],
    ],
  ],
  $sample: [[orders, [{ $sample: { size: 9 } }, { $count: "n" }], [{ n: 3 }]]],
  $redact: [
    [
      [{ _id: 1, l: 1, s: { l: 5, z: 1 }, t: [{ l: 2 }, { l: 9 }, 7] }],
      [{ $redact: { $cond: [{ $lte: ["$l", 3] }, "$$DESCEND", "$$PRUNE"] } }],
      [{ _id: 1, l: 1, t: [{ l: 2 }, 7] }],
    ],
  ],
  $setWindowFields: [
    [
      orders,
      [
        {
          $setWindowFields: {
            partitionBy: "$c",
            sortBy: { _id: 1 },
            output: { run: { $sum: "$q", window: { documents: ["unbounded", "current"] } }, all: { $sum: "$q" } },
          },
        },
        { $project: { run: 1, all: 1 } },
      ],
      [
        { _id: 1, run: 2, all: 7 },
        { _id: 3, run: 7, all: 7 },
        { _id: 2, run: 1, all: 1 },
      ],
    ],
    [
      [
        { _id: 1, x: 1 },
        { _id: 2, x: 3 },
        { _id: 3, x: 4 },
      ],
      [
        { $setWindowFields: { sortBy: { x: 1 }, output: { n: { $sum: 1, window: { range: [-1, 0] } } } } },
        { $project: { n: 1 } },
      ],
      [
        { _id: 1, n: 1 },
        { _id: 2, n: 1 },
        { _id: 3, n: 2 },
      ],
    ],
  ],
  $documents: [[[], [{ $documents: [{ a: 1 }, { a: { $add: [1, 1] } }] }, { $match: { a: 2 } }], [{ a: 2 }]]],
  $collStats: [[orders, [{ $collStats: { count: {} } }, { $project: { count: 1 } }], [{ count: 3 }]]],
  $indexStats: [
    [orders, [{ $indexStats: {} }, { $project: { name: 1, key: 1 } }], [{ name: "_id_", key: { _id: 1 } }]],
  ],
  $out: [[orders, [{ $match: { c: "b" } }, { $project: { q: 1 } }, { $out: "$target" }], [{ _id: 2, q: 1 }]]],
  $merge: [
    [
      orders,
      [
        { $project: { q: 1 } },
        { $merge: { into: "$target", whenMatched: [{ $set: { q: { $add: ["$q", "$$new.q"] } } }] } },
      ],
      [
        { _id: 1, q: 2 },
        { _id: 2, q: 1 },
        { _id: 3, q: 5 },
      ],
    ],
  ],
};

/** An accumulator in $group (with _id: null) over `orders`, and its value. */
export const accumulatorCases: Record<string, readonly (readonly [spec: unknown, value: unknown])[]> = {
  $sum: [
    [{ $multiply: ["$q", "$p"] }, 45],
    ["$c", 0],
  ],
  $avg: [["$q", 8 / 3]],
  $min: [["$p", 1]],
  $max: [["$p", 20]],
  $first: [
    ["$_id", 1],
    ["$none", null],
  ],
  $last: [["$_id", 3]],
  $push: [
    ["$c", ["a", "b", "a"]],
    ["$none", []],
  ],
  $addToSet: [["$c", ["a", "b"]]],
  $mergeObjects: [
    [
      { c: "$c", q: "$q" },
      { c: "a", q: 5 },
    ],
  ],
  $stdDevPop: [["$q", 1.699673171197595]],
  $stdDevSamp: [["$q", 2.0816659994661326]],
  $count: [[{}, 3]],
  $firstN: [[{ n: 2, input: "$_id" }, [1, 2]]],
  $lastN: [[{ n: 2, input: "$_id" }, [2, 3]]],
  $minN: [[{ n: 2, input: "$p" }, [1, 10]]],
  $maxN: [[{ n: 2, input: "$p" }, [20, 10]]],
  $top: [[{ sortBy: { p: -1 }, output: "$_id" }, 2]],
  $topN: [[{ n: 2, sortBy: { p: -1 }, output: "$_id" }, [2, 1]]],
  $bottom: [[{ sortBy: { p: -1 }, output: "$_id" }, 3]],
  $bottomN: [[{ n: 2, sortBy: { p: -1 }, output: "$_id" }, [1, 3]]],
};
export const accumulatorDocs = orders;

/** A window function over `x: 1, 2, 2, 4` in this order, and its value for each. */
export const windowDocs: Document[] = [1, 2, 2, 4].map((x, _id) => ({ _id, x }));
const around = { documents: [-1, 1] };
export const windowCases: Record<string, readonly (readonly [output: Document, values: readonly unknown[]])[]> = {
  $sum: [
    [{ $sum: "$x", window: around }, [3, 5, 8, 6]],
    [{ $sum: "$x", window: { range: [0, 2] } }, [5, 8, 8, 4]],
  ],
  $avg: [[{ $avg: "$x", window: { documents: ["current", "unbounded"] } }, [2.25, 8 / 3, 3, 4]]],
  $min: [[{ $min: "$x", window: around }, [1, 1, 2, 2]]],
  $max: [[{ $max: "$x", window: { documents: ["unbounded", "current"] } }, [1, 2, 2, 4]]],
  $push: [[{ $push: "$x", window: { documents: [-1, 0] } }, [[1], [1, 2], [2, 2], [2, 4]]]],
  $addToSet: [[{ $addToSet: "$x", window: { documents: [1, 2] } }, [[2], [2, 4], [4], []]]],
  $first: [[{ $first: "$x", window: around }, [1, 1, 2, 2]]],
  $last: [[{ $last: "$x", window: around }, [2, 2, 4, 4]]],
  $stdDevPop: [[{ $stdDevPop: "$x", window: { documents: [0, 0] } }, [0, 0, 0, 0]]],
  $stdDevSamp: [[{ $stdDevSamp: "$x", window: { documents: [0, 0] } }, [null, null, null, null]]],
  $count: [[{ $count: {}, window: around }, [2, 3, 3, 2]]],
  $firstN: [[{ $firstN: { n: 1, input: "$x" }, window: around }, [[1], [1], [2], [2]]]],
  $lastN: [[{ $lastN: { n: 1, input: "$x" }, window: around }, [[2], [2], [4], [4]]]],
  $minN: [[{ $minN: { n: 1, input: "$x" } }, [[1], [1], [1], [1]]]],
  $maxN: [[{ $maxN: { n: 1, input: "$x" } }, [[4], [4], [4], [4]]]],
  $top: [[{ $top: { sortBy: { x: -1 }, output: "$x" } }, [4, 4, 4, 4]]],
  $topN: [
    [
      { $topN: { n: 2, sortBy: { x: -1, _id: 1 }, output: "$_id" } },
      [
        [3, 1],
        [3, 1],
        [3, 1],
        [3, 1],
      ],
    ],
  ],
  $bottom: [[{ $bottom: { sortBy: { x: -1 }, output: "$x" } }, [1, 1, 1, 1]]],
  $bottomN: [[{ $bottomN: { n: 1, sortBy: { x: 1 }, output: "$x" } }, [[4], [4], [4], [4]]]],
  $rank: [[{ $rank: {} }, [1, 2, 2, 4]]],
  $denseRank: [[{ $denseRank: {} }, [1, 2, 2, 3]]],
  $documentNumber: [[{ $documentNumber: {} }, [1, 2, 3, 4]]],
  $shift: [[{ $shift: { output: "$x", by: -1, default: 0 } }, [0, 1, 2, 2]]],
};
