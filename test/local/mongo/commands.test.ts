import { Decimal128, type Document, Double, Long, ObjectId } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeOf, expectExactly, failure, openTestDatabase, type Row, type TestDatabase, typed } from "./database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const ids = (docs: Document[]): unknown[] => docs.map(({ _id }) => _id);
const many = (count: number, make: (i: number) => Document = (i) => ({ _id: i })): Document[] =>
  Array.from({ length: count }, (_, i) => make(i));

describe("find in the embedded database", () => {
  it("sorts across types as MongoDB does", async () => {
    const values = [null, new Double(3), "s", { x: 1 }, [], new ObjectId(), false, new Date(0), /a/];
    const collection = await database.seed(...values.map((v, _id) => ({ _id, v })).reverse());
    expect(ids(await collection.find().sort({ v: 1 }).toArray())).toEqual([4, 0, 1, 2, 3, 5, 6, 7, 8]);
    await collection.createIndex({ v: 1 });
    expect(ids(await collection.find().sort({ v: -1 }).toArray())).toEqual([8, 7, 6, 5, 3, 2, 1, 0, 4]);
  });

  it("sorts an array by its least element ascending and by its greatest descending", async () => {
    const collection = await database.seed({ _id: 1, a: [5, 1] }, { _id: 2, a: 2 }, { _id: 3, a: [3, 4] });
    expect(ids(await collection.find().sort({ a: 1 }).toArray())).toEqual([1, 2, 3]);
    expect(ids(await collection.find().sort({ a: -1 }).toArray())).toEqual([1, 3, 2]);
  });

  it("orders numbers of all types by value", async () => {
    const numbers = [
      Decimal128.fromString("10"),
      9,
      Long.fromString("9007199254740993"),
      9.5,
      Decimal128.fromString("1E-10"),
      -0.5,
    ];
    const collection = await database.seed(...numbers.map((a, _id) => ({ _id, a })));
    await collection.createIndex({ a: 1 });
    expect(ids(await collection.find().sort({ a: 1 }).toArray())).toEqual([5, 4, 1, 3, 0, 2]);
    expect(ids(await collection.find().sort({ a: 1 }).hint({ $natural: 1 }).toArray())).toEqual([5, 4, 1, 3, 0, 2]);
  });

  it("projects with inclusion, exclusion, expressions, $slice and $elemMatch", async () => {
    const collection = await database.seed({ _id: 1, a: [{ k: 1 }, { k: 2 }, { k: 3 }], z: 9, n: { x: 1, y: 2 } });
    const one = async (projection: Document, filter: Document = {}): Promise<Document | null> =>
      collection.findOne(filter, { projection });
    expect(await one({ a: { $slice: [1, 1] }, z: 0, n: 0 })).toEqual({ _id: 1, a: [{ k: 2 }] });
    expect(await one({ a: { $elemMatch: { k: 2 } } })).toEqual({ _id: 1, a: [{ k: 2 }] });
    expect(await one({ "a.$": 1 }, { "a.k": 3 })).toEqual({ _id: 1, a: [{ k: 3 }] });
    expect(await one({ _id: 0, "n.x": 1, t: { $add: ["$z", 1] } })).toEqual({ n: { x: 1 }, t: 10 });
    expect(await one({ "a.k": 0, n: 0 })).toEqual({ _id: 1, a: [{}, {}, {}], z: 9 });
  });

  it("compares by a collation", async () => {
    const collection = await database.seed(
      { _id: 0, a: "abc" },
      { _id: 1, a: "ABC" },
      { _id: 2, a: "äbc" },
      { _id: 3, a: "a10" },
      { _id: 4, a: "a9" },
    );
    const find = async (filter: Document, collation: Document): Promise<unknown[]> =>
      ids(
        await collection
          .find(filter, { collation: { locale: "en", ...collation } })
          .sort({ a: 1, _id: 1 })
          .toArray(),
      );
    expect(await find({ a: "Abc" }, { strength: 2 })).toEqual([0, 1]);
    expect(await find({ a: "abc" }, { strength: 1 })).toEqual([0, 1, 2]);
    expect(await find({ a: /^a\d/ }, { numericOrdering: true })).toEqual([4, 3]);
    await collection.createIndex({ a: 1 }, { collation: { locale: "en", strength: 2 }, name: "folded" });
    expect(await find({ a: "Abc" }, { strength: 2 })).toEqual([0, 1]);
    expect(await find({ a: { $gte: "AB", $lt: "b" } }, { strength: 2 })).toEqual([0, 1, 2]);
    const plan = await collection.find({ a: "Abc" }, { collation: { locale: "en", strength: 2 } }).explain();
    expect(JSON.stringify(plan.queryPlanner)).toContain("folded");
  });

  it("returns every BSON type as it was stored", async () => {
    const collection = await database.seed();
    const doc = {
      _id: 1,
      l: Long.fromNumber(5),
      d: new Double(5),
      m: Decimal128.fromString("1.10"),
      z: -0,
      n: Number.NaN,
      big: new Double(2 ** 40),
      u: "é😀\0x",
      "": 1,
      "1": 2,
      __proto__x: 3,
    };
    await collection.insertOne(doc as never);
    expectExactly(await collection.findOne({}, typed), doc);
    await collection.updateOne({}, [{ $set: { more: 1 } }]);
    expectExactly(await collection.findOne({}, typed), { ...doc, more: 1 });
  });
});

describe("cursors", () => {
  it("deliver all documents once, in batches of any size", async () => {
    const collection = await database.seed(...many(1005));
    expect(ids(await collection.find({}, { batchSize: 10, sort: { _id: 1 } }).toArray())).toEqual(
      many(1005).map(({ _id }) => _id),
    );
    expect((await collection.aggregate([{ $match: {} }], { batchSize: 7 }).toArray()).length).toBe(1005);
    expect((await collection.find({}, { batchSize: 1 }).limit(3).toArray()).length).toBe(3);
    expect(await collection.find({ none: 1 }).toArray()).toEqual([]);
  });

  it("split results that are larger than a message, and can be closed early", async () => {
    const collection = await database.seed(...many(30, (_id) => ({ _id, text: "x".repeat(1_500_000) })));
    expect((await collection.find().toArray()).length).toBe(30);
    const open = database.server.engine.cursors.open.size;
    const cursor = collection.find({}, { batchSize: 2 });
    await cursor.next();
    expect(database.server.engine.cursors.open.size).toBe(open + 1);
    await cursor.close();
    expect(database.server.engine.cursors.open.size).toBe(open);
  });

  it("return the documents as they were when the cursor was opened", async () => {
    const collection = await database.seed(...many(20));
    const cursor = collection.find({}, { batchSize: 5 });
    await cursor.next();
    await collection.deleteMany({});
    expect((await cursor.toArray()).length).toBe(19);
  });
});

describe("writes", () => {
  it("upsert with the equalities of the filter and an _id", async () => {
    const collection = await database.seed();
    const result = await collection.updateOne(
      { k: "x", "n.m": 5, $and: [{ q: 7 }], z: { $gt: 3 } },
      { $set: { v: 1 }, $setOnInsert: { w: 2 } },
      { upsert: true },
    );
    expect(result.upsertedId).toBeInstanceOf(ObjectId);
    expect(await collection.findOne({}, { projection: { _id: 0 } })).toEqual({ k: "x", n: { m: 5 }, q: 7, v: 1, w: 2 });
    expect((await collection.replaceOne({ _id: 9 }, { r: 1 }, { upsert: true })).upsertedId).toBe(9);
  });

  it("create one document from fifty concurrent upserts of a unique key", async () => {
    const collection = await database.seed();
    await collection.createIndex({ k: 1 }, { unique: true });
    await Promise.all(many(50).map(() => collection.updateOne({ k: "a" }, { $inc: { n: 1 } }, { upsert: true })));
    expect(await collection.find({}, { projection: { _id: 0 } }).toArray()).toEqual([{ k: "a", n: 50 }]);
  });

  it("count an update without effect as matched and not as modified", async () => {
    const collection = await database.seed({ a: 1 }, { a: 1 });
    expect(await collection.updateMany({}, { $set: { a: 1 } })).toMatchObject({ matchedCount: 2, modifiedCount: 0 });
    expect(await collection.updateMany({}, { $set: { a: new Double(1) } })).toMatchObject({
      matchedCount: 2,
      modifiedCount: 2,
    });
  });

  it("stop an ordered batch at its first error and continue an unordered one", async () => {
    const collection = await database.seed();
    const docs = [{ _id: 1 }, { _id: 1 }, { _id: 2 }] as never[];
    const error = await failure(collection.insertMany(docs));
    expect(error.code).toBe(11000);
    expect(await collection.countDocuments()).toBe(1);
    await collection.insertMany([{ _id: 1 }, { _id: 3 }] as never[], { ordered: false }).catch(() => undefined);
    expect(await collection.countDocuments()).toBe(2);
  });

  it("find and modify: old version, new version, sorted, removed, upserted", async () => {
    const collection = await database.seed({ _id: 1, a: 1 }, { _id: 2, a: 5 });
    expect(
      await collection.findOneAndUpdate(
        {},
        { $inc: { a: 1 } },
        { sort: { a: -1 }, returnDocument: "after", projection: { _id: 0 } },
      ),
    ).toEqual({ a: 6 });
    expect(await collection.findOneAndReplace({ _id: 1 }, { b: 1 })).toEqual({ _id: 1, a: 1 });
    expect(await collection.findOneAndDelete({}, { sort: { _id: -1 } })).toEqual({ _id: 2, a: 6 });
    expect(await collection.findOneAndUpdate({ _id: 9 }, { $set: { n: 1 } }, { upsert: true })).toBeNull();
    expect(await collection.findOneAndDelete({ none: 1 })).toBeNull();
  });

  it("write to several collections in one bulkWrite of the client", async () => {
    const result = await database.client.bulkWrite<Record<string, Row>>([
      { namespace: "test.bulk1", name: "insertOne", document: { _id: 1 } },
      { namespace: "test.bulk2", name: "updateOne", filter: { _id: 5 }, update: { $set: { a: 1 } }, upsert: true },
      { namespace: "test.bulk1", name: "deleteMany", filter: {} },
    ]);
    expect(result).toMatchObject({ insertedCount: 1, upsertedCount: 1, deletedCount: 1 });
    expect(await database.db.collection<Row>("bulk2").findOne()).toEqual({ _id: 5, a: 1 });
  });

  it("update the first document of a sort", async () => {
    const collection = await database.seed({ _id: 1, a: 1 }, { _id: 2, a: 2 });
    await collection.updateOne({}, { $set: { hit: 1 } }, { sort: { a: -1 } });
    expect(await collection.findOne({ hit: 1 })).toEqual({ _id: 2, a: 2, hit: 1 });
  });

  it("are checked by a validator", async () => {
    const collection = await database.db.createCollection("validated", {
      validator: { $jsonSchema: { required: ["n"], properties: { n: { minimum: 0 } } } },
    });
    await collection.insertOne({ n: 1 });
    expect(await codeOf(collection.insertOne({ m: 1 }))).toBe(121);
    expect(await codeOf(collection.updateOne({}, { $set: { n: -1 } }))).toBe(121);
    await collection.insertOne({ m: 1 }, { bypassDocumentValidation: true });
  });
});

describe("indexes", () => {
  it("keep keys unique: compound, sparse, partial, multikey, across number types, by collation", async () => {
    const plain = await database.seed();
    await plain.createIndex({ a: 1, b: 1 }, { unique: true });
    await plain.insertOne({ a: Long.fromNumber(5), b: "x" });
    const error = await failure(plain.insertOne({ a: new Double(5), b: "x" }));
    expect([error.code, error.keyPattern, error.keyValue]).toEqual([11000, { a: 1, b: 1 }, { a: 5, b: "x" }]);
    const sparse = await database.seed();
    await sparse.createIndex({ a: 1 }, { unique: true, sparse: true });
    await sparse.insertMany([{ b: 1 }, { b: 2 }]);
    const partial = await database.seed();
    await partial.createIndex({ a: 1 }, { unique: true, partialFilterExpression: { on: true } });
    await partial.insertMany([{ a: 1 }, { a: 1 }, { a: 1, on: true }]);
    expect(await codeOf(partial.insertOne({ a: 1, on: true }))).toBe(11000);
    const multikey = await database.seed({ t: [1, 2] });
    await multikey.createIndex({ t: 1 }, { unique: true });
    await multikey.insertOne({ t: [4, 4] });
    expect(await codeOf(multikey.insertOne({ t: [2, 3] }))).toBe(11000);
    const missing = await database.seed({ b: 1 });
    await missing.createIndex({ a: 1 }, { unique: true });
    expect(await codeOf(missing.insertOne({ a: null }))).toBe(11000);
    const folded = await database.seed({ e: "A@x" });
    await folded.createIndex({ e: 1 }, { unique: true, collation: { locale: "en", strength: 2 } });
    expect(await codeOf(folded.insertOne({ e: "a@X" }))).toBe(11000);
    const duplicates = await database.seed({ a: 1 }, { a: 1 });
    expect(await codeOf(duplicates.createIndex({ a: 1 }, { unique: true }))).toBe(11000);
  });

  it("report conflicts of names, keys and arrays with MongoDB's codes", async () => {
    const collection = await database.seed();
    expect(await collection.createIndex({ a: 1, b: -1 })).toBe("a_1_b_-1");
    expect(await collection.createIndex({ a: 1, b: -1 })).toBe("a_1_b_-1");
    expect(await codeOf(collection.createIndex({ a: 1, b: -1 }, { name: "other" }))).toBe(85);
    expect(await codeOf(collection.createIndex({ z: 1 }, { name: "a_1_b_-1" }))).toBe(86);
    expect(await codeOf(collection.createIndex({ a: 1, b: -1 }, { unique: true }))).toBe(86);
    expect(await codeOf(collection.insertOne({ a: [1], b: [2] }))).toBe(171);
    await collection.createIndex({ "x.a": 1, "x.b": 1 }, { unique: true });
    await collection.insertOne({
      x: [
        { a: 1, b: 2 },
        { a: 2, b: 1 },
      ],
    });
    await collection.insertOne({ x: { a: 1, b: 1 } });
    await collection.dropIndex("a_1_b_-1");
    expect(await codeOf(collection.dropIndex("none"))).toBe(27);
    expect(await codeOf(collection.dropIndex("_id_"))).toBe(72);
    expect((await collection.indexes()).map(({ name }) => name)).toEqual(["_id_", "x.a_1_x.b_1"]);
  });

  it("change their expiry only by collMod", async () => {
    const collection = await database.seed();
    await collection.createIndex({ at: 1 }, { expireAfterSeconds: 10 });
    expect(await codeOf(collection.createIndex({ at: 1 }, { expireAfterSeconds: 20 }))).toBe(85);
    await database.db.command({ collMod: collection.collectionName, index: { name: "at_1", expireAfterSeconds: 20 } });
    expect((await collection.indexes())[1]?.expireAfterSeconds).toBe(20);
  });

  it("expire documents by the clock of the server", async () => {
    const at = new Date(database.clock.ms);
    const collection = await database.seed(
      { _id: 1, at },
      { _id: 2, at: new Date(database.clock.ms + 60_000) },
      { _id: 3, at: "never" },
      { _id: 4 },
    );
    await collection.createIndex({ at: 1 }, { expireAfterSeconds: 30 });
    database.clock.ms += 29_000;
    database.server.runMaintenance();
    expect(await collection.countDocuments()).toBe(4);
    database.clock.ms += 1_000;
    database.server.runMaintenance();
    expect(ids(await collection.find().toArray())).toEqual([2, 3, 4]);
  });
});

describe("the catalog", () => {
  it("lists, renames and drops", async () => {
    const db = database.client.db("catalog");
    await db.createCollection("aa");
    await db.collection("bb").insertOne({});
    expect((await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name)).toEqual(["aa", "bb"]);
    expect(await codeOf(db.createCollection("aa", { validator: { a: 1 } }))).toBe(48);
    expect(await codeOf(db.collection("aa").rename("bb"))).toBe(48);
    await db.collection("bb").rename("aa", { dropTarget: true });
    expect(await db.collection("aa").countDocuments()).toBe(1);
    expect(await codeOf(db.collection("none").rename("x"))).toBe(26);
    await db.dropDatabase();
    expect(await db.listCollections().toArray()).toEqual([]);
  });

  it("shows views as MongoDB does", async () => {
    const collection = await database.seed({ _id: 1, a: 1 }, { _id: 2, a: 2 });
    await database.db.createCollection("view", { viewOn: collection.collectionName, pipeline: [{ $match: { a: 2 } }] });
    const view = database.db.collection("view");
    expect(await view.find({}, { projection: { a: 1, _id: 0 } }).toArray()).toEqual([{ a: 2 }]);
    expect(await view.aggregate([{ $count: "n" }]).toArray()).toEqual([{ n: 1 }]);
    expect(await codeOf(view.insertOne({}))).toBe(166);
    expect(await codeOf(view.deleteMany({}))).toBe(166);
  });

  it("writes pipelines into other databases and keeps the target's indexes", async () => {
    const collection = await database.seed({ _id: 1, k: "x", v: 2 }, { _id: 2, k: "y", v: 3 });
    const other = database.client.db("elsewhere");
    await other.collection("copy").createIndex({ k: 1 });
    await collection.aggregate([{ $out: { db: "elsewhere", coll: "copy" } }]).toArray();
    expect(await other.collection("copy").find().toArray()).toEqual([
      { _id: 1, k: "x", v: 2 },
      { _id: 2, k: "y", v: 3 },
    ]);
    expect((await other.collection("copy").indexes()).length).toBe(2);
    await other.collection("copy").createIndex({ k: 1, v: 1 }, { unique: true });
    const merge = (options: Document): Promise<unknown> =>
      collection.aggregate([{ $merge: { into: { db: "elsewhere", coll: "copy" }, ...options } }]).toArray();
    await other.collection<Row>("copy").updateOne({ _id: 1 }, { $set: { v: 9, z: 1 } });
    await merge({});
    expect(await other.collection<Row>("copy").findOne({ _id: 1 })).toEqual({ _id: 1, k: "x", v: 2, z: 1 });
    await merge({ whenMatched: "replace" });
    expect(await other.collection<Row>("copy").findOne({ _id: 1 })).toEqual({ _id: 1, k: "x", v: 2 });
    expect(await codeOf(merge({ whenMatched: "fail" }))).toBe(11000);
    expect(await codeOf(merge({ on: "v" }))).toBe(51183);
    await collection.insertOne({ _id: 3, k: "z", v: 1 });
    await merge({ whenMatched: "replace", whenNotMatched: "discard" });
    expect(await other.collection("copy").countDocuments()).toBe(2);
    expect(await codeOf(merge({ whenMatched: "replace", whenNotMatched: "fail" }))).toBe(13113);
    expect(await codeOf(merge({ whenMatched: "keepExisting", whenNotMatched: "fail" }))).toBe(51181);
  });

  it("answers diagnostic commands", async () => {
    const collection = await database.seed({ a: 1 });
    expect(await database.db.command({ collStats: collection.collectionName })).toMatchObject({
      count: 1,
      nindexes: 1,
    });
    expect((await database.db.command({ dbStats: 1 })).objects).toBeGreaterThan(0);
    expect((await database.db.command({ serverStatus: 1 })).opcounters.insert).toBeGreaterThan(0);
    expect((await database.db.command({ buildInfo: 1 })).versionArray).toEqual([8, 0, 0, 0]);
    expect((await database.db.command({ connectionStatus: 1 })).ok).toBe(1);
    expect((await collection.distinct("a")).length).toBe(1);
    expect(await collection.estimatedDocumentCount()).toBe(1);
  });
});
