import { Decimal128, type Document, Double, Timestamp } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeOf, expectExactly, failure, openTestDatabase, type Row, type TestDatabase, typed } from "./database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const run = (command: Document): Promise<Document> => database.db.command(command);

describe("a view", () => {
  it("answers distinct and count from its pipeline", async () => {
    const base = await database.seed({ _id: 1, a: [3, 1], on: true }, { _id: 2, a: 2, on: true }, { _id: 3, a: 9 });
    const viewOn = base.collectionName;
    await database.db.createCollection("on", { viewOn, pipeline: [{ $match: { on: true } }, { $set: { b: "$_id" } }] });
    expect((await run({ distinct: "on", key: "a" })).values).toEqual([1, 2, 3]);
    expect((await run({ distinct: "on", key: "b", query: { a: 2 } })).values).toEqual([2]);
    expect((await run({ count: "on" })).n).toBe(2);
    expect((await run({ count: "on", query: { b: { $gt: 0 } }, skip: 1, limit: 5 })).n).toBe(1);
  });
});

describe("distinct", () => {
  it("returns its values in sorted order", async () => {
    const { collectionName } = await database.seed({ v: "b" }, { v: 10 }, { v: [9, "a"] }, { v: null }, { v: 2 });
    expect((await run({ distinct: collectionName, key: "v" })).values).toEqual([null, 2, 9, 10, "a", "b"]);
  });
});

describe("count with a hint", () => {
  it("reads the named index, and refuses a missing one", async () => {
    const collection = await database.seed({ _id: 1, s: 1, p: 1 }, { _id: 2, p: 7 }, { _id: 3 });
    await collection.createIndex({ s: 1 }, { sparse: true });
    await collection.createIndex({ p: 1 }, { partialFilterExpression: { p: { $gt: 5 } } });
    await collection.createIndex({ q: 1 });
    const count = async (hint: unknown): Promise<number> => (await run({ count: collection.collectionName, hint })).n;
    expect(await count("s_1")).toBe(1);
    expect(await count({ p: 1 })).toBe(1);
    expect(await count("q_1")).toBe(3);
    expect(await count({ $natural: 1 })).toBe(3);
    expect(await codeOf(count("none"))).toBe(2);
    expect(await codeOf(count({ none: 1 }))).toBe(2);
    expect(await codeOf(count(5))).toBe(9);
  });
});

describe("a read concern", () => {
  it.each<[string, number, Document]>([
    ["an unknown level", 2, { readConcern: { level: "bogus" } }],
    ["a level that is no string", 14, { readConcern: { level: 5 } }],
    ["an unknown field", 40415, { readConcern: { levels: "local" } }],
    ["no object", 14, { readConcern: "local" }],
    ["snapshot outside of a transaction", 238, { readConcern: { level: "snapshot" } }],
    ["a cluster time", 238, { readConcern: { level: "snapshot", atClusterTime: new Timestamp({ t: 5, i: 1 }) } }],
  ])("is refused: %s", async (_, code, options) => {
    const { collectionName } = await database.seed({ _id: 1 });
    expect(await codeOf(run({ find: collectionName, ...options }))).toBe(code);
    expect(await codeOf(run({ aggregate: collectionName, pipeline: [], cursor: {}, ...options }))).toBe(code);
    expect(await codeOf(run({ distinct: collectionName, key: "a", ...options }))).toBe(code);
  });

  it("snapshot is refused by commands that do not read", async () => {
    const { collectionName } = await database.seed({ _id: 1 });
    expect(await codeOf(run({ count: collectionName, readConcern: { level: "snapshot" } }))).toBe(72);
  });

  it.each(["local", "majority", "available", "linearizable"])("is accepted: %s", async (level) => {
    const { collectionName } = await database.seed({ _id: 1 });
    expect((await run({ find: collectionName, readConcern: { level } })).cursor.firstBatch).toEqual([{ _id: 1 }]);
  });
});

describe("$$NOW", () => {
  it("has one value during a command, however long it runs", async () => {
    const collection = await database.seed({ _id: 1 }, { _id: 2 }, { _id: 3 });
    const { clock } = database;
    const start = clock.ms;
    // The clock of this server advances each time it is read.
    Object.defineProperty(clock, "ms", { get: () => tick++, set: () => undefined, configurable: true });
    let tick = start;
    try {
      const pipeline = [
        { $set: { a: "$$NOW" } },
        { $unionWith: { coll: collection.collectionName, pipeline: [{ $set: { a: "$$NOW" } }] } },
        { $lookup: { from: collection.collectionName, as: "b", pipeline: [{ $limit: 1 }, { $set: { a: "$$NOW" } }] } },
      ];
      const docs = await collection.aggregate(pipeline).toArray();
      const times = new Set(docs.flatMap(({ a, b }) => [a.getTime(), b[0].a.getTime()]));
      expect([docs.length, times.size]).toEqual([6, 1]);
      const { collectionName } = collection;
      const updates = [1, 2, 3].map((_id) => ({ q: { _id }, u: [{ $set: { at: "$$NOW" } }] }));
      await run({ update: collectionName, updates });
      expect((await run({ distinct: collectionName, key: "at" })).values.length).toBe(1);
    } finally {
      Object.defineProperty(clock, "ms", { value: start, writable: true, configurable: true });
    }
  });
});

describe("a cursor", () => {
  it.each<[string, (name: string) => Promise<unknown>]>([
    ["drop", (name) => database.db.collection(name).drop()],
    [
      "drop and a new collection of the name",
      async (name) => {
        await database.db.collection(name).drop();
        await database.db.collection<Row>(name).insertOne({ _id: 7 });
      },
    ],
    ["rename", (name) => database.db.collection(name).rename(`${name}-renamed`)],
    ["$out over it", (name) => database.db.aggregate([{ $documents: [{ _id: 9 }] }, { $out: name }]).toArray()],
  ])("ends with an error after %s", async (_, action) => {
    const collection = await database.seed({ _id: 1 }, { _id: 2 }, { _id: 3 });
    const cursors = [collection.find({}, { batchSize: 1 }), collection.aggregate([{ $match: {} }], { batchSize: 1 })];
    for (const cursor of cursors) expect(await cursor.next()).toMatchObject({ _id: 1 });
    await action(collection.collectionName);
    for (const cursor of cursors) {
      const error = await failure(cursor.next());
      expect([error.code, error.codeName]).toEqual([175, "QueryPlanKilled"]);
    }
  });
});

describe("$lookup by a local field", () => {
  const foreign = [
    { _id: "none" },
    { _id: "null", f: null },
    { _id: "empty", f: [] },
    { _id: "one", f: 1 },
    { _id: "two", f: 2 },
    { _id: "pair", f: [1, 2] },
    { _id: "nested", f: [[1, 2], 3] },
  ];

  // Expected results as in MongoDB's own lookup_equijoin_semantics tests.
  it.each<[string, Document, string, string[]]>([
    ["a position", { l: [1, 2] }, "l.0", ["one", "pair"]],
    ["a position of a list in a list", { l: [[0], [5, 2]] }, "l.1.1", ["two", "pair"]],
    ["a position and a field", { l: [{ x: 2 }, { x: 1 }] }, "l.0.x", ["two", "pair"]],
    ["a position that is a field", { l: { 0: 1 } }, "l.0", ["one", "pair"]],
    ["a position past the end", { l: [1] }, "l.3", ["none", "null"]],
    ["an empty list", { l: [] }, "l", ["none", "null"]],
    ["an empty list on the way", { l: [] }, "l.x", ["none", "null"]],
    ["a list of empty lists", { l: [[]] }, "l", ["empty"]],
    ["a list on the way", { l: [{ x: 1 }, { y: 5 }] }, "l.x", ["one", "pair"]],
    ["a list at the end of a way over a list", { l: [{ x: [1, 5] }] }, "l.x", ["one", "pair"]],
    ["a list of lists", { l: [[1, 2], 42] }, "l", ["pair", "nested"]],
    ["a missing field", {}, "l", ["none", "null"]],
    ["a scalar on the way", { l: 5 }, "l.x", ["none", "null"]],
  ])("understands %s", async (_, doc, localField, found) => {
    const [local, other] = [await database.seed({ _id: 1, ...doc }), await database.seed(...foreign)];
    const lookup = { from: other.collectionName, localField, foreignField: "f", as: "j" };
    const ids = async (options: Document): Promise<string[]> => {
      const [result] = await local
        .aggregate([{ $lookup: { ...lookup, ...options } }], { ignoreUndefined: true })
        .toArray();
      return (result as Document).j.map(({ _id }: Document) => _id);
    };
    expect(await ids({})).toEqual(found);
    expect(await ids({ from: undefined, pipeline: [{ $documents: foreign }] })).toEqual(found);
    const [first] = found;
    expect(await ids({ from: undefined, pipeline: [{ $documents: foreign }, { $limit: 1 }] })).toEqual([first]);
  });
});

describe("$redact", () => {
  it("keeps $$ROOT as the whole document in nested documents", async () => {
    const collection = await database.seed({ _id: 1, level: 1, in: [{ level: 5 }, { level: 1, deep: { level: 2 } }] });
    const keep = { $cond: [{ $lte: ["$level", "$$ROOT.level"] }, "$$DESCEND", "$$PRUNE"] };
    expect(await collection.aggregate([{ $redact: keep }]).toArray()).toEqual([
      { _id: 1, level: 1, in: [{ level: 1 }] },
    ]);
  });
});

describe("the positional operator", () => {
  // The conditions of a conjunction are ordered by kind and path. The last one decides.
  it.each<[string, Document, Document, number | "refused"]>([
    ["a condition beside", { a: [1, 2, 3], b: 1 }, { $and: [{ a: 2 }, { b: 1 }] }, 1],
    ["a condition in front", { a: [1, 2, 3], b: 1 }, { $and: [{ b: 1 }, { a: 2 }] }, 1],
    ["two bounds", { a: [1, 3, 5] }, { $and: [{ a: { $gte: 2 } }, { a: { $lte: 4 } }] }, 1],
    ["two bounds in one", { a: [1, 3, 5] }, { a: { $gte: 2, $lte: 4 } }, 1],
    ["another list, later in order", { a: [1, 2, 3], z: [9, 8, 7] }, { $and: [{ z: 7 }, { a: 1 }] }, 2],
    ["the same the other way round", { a: [1, 2, 3], z: [9, 8, 7] }, { $and: [{ a: 1 }, { z: 7 }] }, 2],
    ["a nested $and", { a: [1, 2, 3], z: [9, 8, 7] }, { $and: [{ $and: [{ z: 7 }] }, { a: 1 }] }, 2],
    ["$all", { a: [1, 2, 3] }, { a: { $all: [1, 3] } }, 2],
    ["a negation beside", { a: [1, 2, 3], b: [1] }, { a: 2, b: { $ne: 5 } }, 1],
    ["$or of one field", { a: [1, 2, 3] }, { $or: [{ a: 3 }, { a: 4 }] }, 2],
    ["$or of one branch", { a: [1, 2, 3] }, { $or: [{ a: 3 }] }, 2],
    ["$or of two fields", { a: [1, 2, 3], b: 1 }, { $or: [{ a: 3 }, { b: 2 }] }, "refused"],
  ])("has MongoDB's position under $and: %s", async (_, doc, filter, position) => {
    const collection = await database.seed({ _id: 1, ...doc });
    const update = collection.updateOne(filter, { $set: { "a.$": "hit" } });
    if (position === "refused") {
      expect(await codeOf(update)).toBe(2);
      return;
    }
    await update;
    expect((await collection.findOne())?.a.indexOf("hit")).toBe(position);
  });
});

describe("$jsonSchema multipleOf", () => {
  it.each<[unknown, unknown, boolean]>([
    [0.1, 0.3, true],
    [0.1, 0.35, false],
    [0.01, 1.1, true],
    [0.1, Number.NaN, false],
    [0.1, Number.POSITIVE_INFINITY, false],
    [2, Decimal128.fromString("NaN"), false],
    [Decimal128.fromString("0.1"), 0.7, true],
    [3, -9, true],
    [0.1, "text", true],
  ])("%s of %s is %s", async (multipleOf, value, matches) => {
    const collection = await database.seed({ v: value });
    expect((await collection.find({ $jsonSchema: { properties: { v: { multipleOf } } } }).toArray()).length).toBe(
      matches ? 1 : 0,
    );
  });
});

describe("$pull", () => {
  it.each<[string, unknown[], Document, unknown[]]>([
    ["$or", [{ k: 1 }, { k: 2 }, { k: 3 }, 1], { $or: [{ k: 1 }, { k: 2 }] }, [{ k: 3 }, 1]],
    [
      "$and",
      [
        { k: 1, v: 1 },
        { k: 1, v: 2 },
      ],
      { $and: [{ k: 1 }, { v: 2 }] },
      [{ k: 1, v: 1 }],
    ],
    ["$nor", [{ k: 1 }, { k: 2 }], { $nor: [{ k: 1 }] }, [{ k: 1 }]],
    ["$all on lists", [[1, 2], [1], 1, 2], { $all: [1, 2] }, [[1], 1, 2]],
    ["$all of one value", [[1, 2], 1, 2], { $all: [1] }, [2]],
    ["$elemMatch on lists", [[1, 5], [2], 5], { $elemMatch: { $gt: 4 } }, [[2], 5]],
    ["a comparison", [1, 5, [6], "a"], { $gte: 5 }, [1, "a"]],
    ["$in", [1, 2, [3]], { $in: [1, 3] }, [2]],
    ["a pattern", ["ab", "b", 1], /^a/ as never, ["b", 1]],
  ])("removes the elements that match %s", async (_, list, condition, rest) => {
    const collection = await database.seed({ _id: 1, list });
    await collection.updateOne({}, { $pull: { list: condition } as never });
    expect((await collection.findOne())?.list).toEqual(rest);
  });
});

describe("projections", () => {
  const doc = { _id: 1, a: [{ k: 1 }, { k: 2 }], s: 5, z: 9 };

  it.each<[string, Document, Document]>([
    ["the list after what is included", { a: { $elemMatch: { k: 2 } }, z: 1 }, { _id: 1, z: 9, a: [{ k: 2 }] }],
    ["the list alone", { a: { $elemMatch: { k: 2 } } }, { _id: 1, a: [{ k: 2 }] }],
    ["the list in its place beside exclusions", { a: { $elemMatch: { k: 2 } }, z: 0 }, { _id: 1, a: [{ k: 2 }], s: 5 }],
    ["nothing of a scalar", { s: { $elemMatch: { $gt: 1 } }, z: 1 }, { _id: 1, z: 9 }],
    ["nothing without a match", { a: { $elemMatch: { k: 7 } }, z: 1 }, { _id: 1, z: 9 }],
    ["nothing of a missing field", { m: { $elemMatch: { k: 7 } }, z: 1 }, { _id: 1, z: 9 }],
  ])("of $elemMatch show %s", async (_, projection, shown) => {
    const collection = await database.seed(doc);
    expectExactly(await collection.findOne({}, { projection }), shown);
  });

  it.each<[string, unknown, Document, unknown]>([
    [
      "scalars in a list",
      [{ b: 1, c: 2 }, 5, null, [6]],
      { "a.b": { $literal: 9 } },
      [{ b: 9 }, { b: 9 }, { b: 9 }, [{ b: 9 }]],
    ],
    ["a scalar", 5, { "a.b": { $literal: 9 } }, { b: 9 }],
    ["an empty list", [], { "a.b": { $literal: 9 } }, []],
    [
      "scalars beside an included field",
      [{ b: 1, c: 2 }, 5],
      { "a.b": { $literal: 9 }, "a.c": 1 },
      [{ c: 2, b: 9 }, { b: 9 }],
    ],
  ])("with a computed nested field replace %s", async (_, a, projection, expected) => {
    const collection = await database.seed({ _id: 1, a });
    const [result] = await collection.aggregate([{ $project: projection }]).toArray();
    expectExactly(result, { _id: 1, a: expected });
  });

  it("that only include fields leave out scalars of an array", async () => {
    const collection = await database.seed({ _id: 1, a: [{ b: new Double(1), c: 2 }, 5, []] });
    const [result] = await collection.aggregate([{ $project: { "a.b": 1 } }], typed).toArray();
    expectExactly(result, { _id: 1, a: [{ b: new Double(1) }, []] });
  });
});
