import type { Document } from "mongodb";
import { BSON, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failure, openTestDatabase, type Row, type TestDatabase } from "./database.ts";
import { connectRaw } from "./raw-client.ts";

let database: TestDatabase;
let other: MongoClient;
beforeAll(async () => {
  database = await openTestDatabase();
  other = await new MongoClient(database.server.uri).connect();
  const rows = Array.from({ length: 600 }, (_, i) => ({ _id: i, v: 0 }));
  for (const name of ["one", "two"]) await database.client.db(name).collection<Row>("rows").insertMany(rows);
});
afterAll(async () => {
  await other.close();
  await database.close();
});

/** Reads every record for every record: seconds of work without an index. */
const heavy: Document[] = [
  { $lookup: { from: "rows", pipeline: [{ $match: { $expr: { $lt: [{ $abs: "$_id" }, -1] } } }], as: "none" } },
  { $match: { none: { $ne: [] } } },
];
/** True for every record, after a few tenths of a millisecond. */
const slowly = { $expr: { $eq: [{ $size: { $map: { input: { $range: [0, 5_000] }, in: "$$this" } } }, 5_000] } };

/** Records the order in which promises are fulfilled. */
function order(): { note<T>(name: string, work: Promise<T>): Promise<T>; readonly names: string[] } {
  const names: string[] = [];
  const note = async <T>(name: string, work: Promise<T>): Promise<T> => {
    const result = await work;
    names.push(name);
    return result;
  };
  return { note, names };
}

describe("concurrent commands", () => {
  it("another client is answered many times while a heavy query runs", async () => {
    const { note, names } = order();
    const running = note("heavy", database.client.db("one").collection("rows").aggregate(heavy).toArray());
    for (let i = 0; i < 5; i++) await note("ping", other.db("two").command({ ping: 1 }));
    expect(await running).toEqual([]);
    expect(names).toEqual(["ping", "ping", "ping", "ping", "ping", "heavy"]);
  });

  it("many heavy queries of one database block neither other databases nor its own light queries", async () => {
    const { note, names } = order();
    const client = await new MongoClient(database.server.uri, { maxPoolSize: 60 }).connect();
    const running = Promise.allSettled(
      Array.from({ length: 60 }, () => note("heavy", client.db("one").collection("rows").aggregate(heavy).toArray())),
    );
    await note("begun", other.db("two").command({ ping: 1 }));
    for (let i = 0; i < 3; i++) {
      await note("foreign", other.db("two").collection<Row>("rows").findOne({ _id: 1 }));
      await note("own", other.db("one").collection<Row>("rows").findOne({ _id: 1 }));
    }
    // The first one takes a sixtieth of the total time, or a fifteenth as one of four.
    expect(names).toEqual(["begun", "foreign", "own", "foreign", "own", "foreign", "own"]);
    await client.close();
    await running;
  });

  it("two databases share the time: the lighter work of one ends before the heavier work of the other", async () => {
    const { note, names } = order();
    const first = Array.from({ length: 3 }, () =>
      note("much", database.client.db("one").collection("rows").aggregate(heavy).toArray()),
    );
    const small = [{ $limit: 60 }, ...heavy];
    const second = note("little", other.db("two").collection("rows").aggregate(small).toArray());
    await Promise.all([...first, second]);
    expect(names[0]).toBe("little");
  });
});

describe("a read that yields", () => {
  it("sees what was stored when it began", async () => {
    const rows = Array.from({ length: 1_000 }, (_, i) => ({ _id: i, v: 0 }));
    const collection = await database.seed(...rows);
    const { note, names } = order();
    const read = note(
      "read",
      collection.aggregate([{ $match: slowly }, { $group: { _id: "$v", n: { $sum: 1 } } }]).toArray(),
    );
    const same = other.db("test").collection<Row>(collection.collectionName);
    await note("update", same.updateMany({}, { $set: { v: 1 } }));
    await note("delete", same.deleteMany({ _id: { $gte: 500 } }));
    await note("insert", same.insertOne({ _id: 2_000, v: 2 }));
    expect(await read).toEqual([{ _id: 0, n: 1_000 }]);
    expect(names).toEqual(["update", "delete", "insert", "read"]);
  });

  it("returns a sorted result that is complete and in order", async () => {
    const rows = Array.from({ length: 7_000 }, (_, i) => ({ _id: i, v: (i * 7_919) % 7_000 }));
    const collection = await database.seed(...rows);
    const sorted = await collection.find().sort({ v: -1 }).toArray();
    expect(sorted.map(({ v }) => v)).toEqual(Array.from({ length: 7_000 }, (_, i) => 6_999 - i));
  });

  it("refuses a second concurrent getMore on its cursor", async () => {
    const { server } = database;
    const raw = await connectRaw(server.uri);
    const reply = await raw.send({
      aggregate: "rows",
      pipeline: heavy.slice(0, 1),
      cursor: { batchSize: 1 },
      $db: "one",
    });
    const more = { getMore: BSON.Long.fromNumber(reply.cursor.id), collection: "rows", $db: "one" };
    const [first, second] = await Promise.all([raw.send(more), raw.send(more)]);
    expect(first).toMatchObject({ ok: 1, cursor: { id: 0 } });
    expect(second).toMatchObject({ ok: 0, codeName: "CursorInUse" });
    raw.close();
  });
});

describe("a write that yields", () => {
  it("changes a record only if it still matches the filter", async () => {
    const rows = Array.from({ length: 1_000 }, (_, i) => ({ _id: i, v: 0 }));
    const collection = await database.seed(...rows);
    const { note, names } = order();
    const updated = note("update", collection.updateMany({ v: 0, ...slowly }, { $set: { v: 2 } }));
    const same = other.db("test").collection<Row>(collection.collectionName);
    await note("change", same.updateOne({ _id: 998 }, { $set: { v: 1 } }));
    await note("delete", same.deleteOne({ _id: 999 }));
    expect((await updated).modifiedCount).toBe(998);
    expect(names).toEqual(["change", "delete", "update"]);
    expect(await collection.findOne({ _id: 998 })).toEqual({ _id: 998, v: 1 });
    expect(await collection.countDocuments({ v: 2 })).toBe(998);
    expect(await collection.countDocuments()).toBe(999);
  });

  it("stops between two records when its connection closes, and keeps the records that it changed", async () => {
    const rows = Array.from({ length: 600 }, (_, i) => ({ _id: i, v: 0 }));
    const collection = await database.seed(...rows);
    const raw = await connectRaw(database.server.uri);
    const sum = { $sum: { $map: { input: { $range: [0, 20_000] }, in: { $multiply: ["$$this", 0] } } } };
    const change = [{ $set: { v: { $add: [1, sum] } } }];
    void raw.send({ update: collection.collectionName, updates: [{ q: {}, u: change, multi: true }], $db: "test" });
    const done = async (): Promise<number> => collection.countDocuments({ v: 1 });
    while ((await done()) === 0);
    raw.close();
    await raw.closed;
    for (let i = 0; i < 3; i++) await other.db("two").command({ ping: 1 });
    const kept = await done();
    for (let i = 0; i < 5; i++) await other.db("two").command({ ping: 1 });
    expect(await done()).toBe(kept);
    expect(kept).toBeLessThan(600);
  });

  it("ends when its collection is dropped, and writes nothing into a new collection of the same name", async () => {
    const rows = Array.from({ length: 600 }, (_, i) => ({ _id: i, v: 0 }));
    const collection = await database.seed(...rows);
    const updated = failure(collection.updateMany(slowly, { $set: { v: 1 } }));
    const same = other.db("test").collection<Row>(collection.collectionName);
    await same.drop();
    await same.insertOne({ _id: 0, v: 7 });
    expect((await updated).code).toBe(175);
    expect(await same.find().toArray()).toEqual([{ _id: 0, v: 7 }]);
  });

  it("ends before the next command of its connection when it has no reply", async () => {
    const collection = await database.seed({ _id: 0, v: 0 });
    const raw = await connectRaw(database.server.uri);
    const documents = Array.from({ length: 20_000 }, (_, i) => ({ _id: i + 1, v: 0 }));
    await raw.send({ insert: collection.collectionName, documents, $db: "test" }, { moreToCome: true });
    expect(await raw.send({ count: collection.collectionName, $db: "test" })).toMatchObject({ n: 20_001 });
    raw.close();
  });

  it("ends before the next command of its transaction", async () => {
    const rows = Array.from({ length: 500 }, (_, i) => ({ _id: i, v: 0 }));
    const collection = await database.seed(...rows);
    const session = database.client.startSession();
    session.startTransaction();
    await collection.findOne({ _id: 0 }, { session });
    const updated = collection.updateMany(slowly, { $set: { v: 1 } }, { session });
    const counted = collection.find({ v: 1 }, { session }).toArray();
    expect((await updated).modifiedCount).toBe(500);
    expect((await counted).length).toBe(500);
    await session.commitTransaction();
    await session.endSession();
    expect(await collection.countDocuments({ v: 1 })).toBe(500);
  });
});

describe("maxTimeMS", () => {
  it("ends a query between two of its time slices", async () => {
    const rows = database.client.db("one").collection("rows");
    expect((await failure(rows.aggregate(heavy, { maxTimeMS: 30 }).toArray())).code).toBe(50);
  });

  it("ends a query inside an expression", async () => {
    const collection = await database.seed({ _id: 1 });
    const loop = (inner: unknown): Document => ({ $map: { input: { $range: [0, 600] }, in: inner } });
    const options = { maxTimeMS: 1 };
    expect((await failure(collection.aggregate([{ $project: { r: loop(loop(1)) } }], options).toArray())).code).toBe(
      50,
    );
  });
});
