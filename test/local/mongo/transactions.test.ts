import { type ClientSession, type Document, Long, UUID } from "mongodb";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { failure, openTestDatabase, type Row, type TestDatabase } from "./database.ts";
import { connectRaw } from "./raw-client.ts";

let database: TestDatabase;
const sessions: ClientSession[] = [];
beforeAll(async () => {
  database = await openTestDatabase();
});
afterEach(async () => {
  for (const session of sessions.splice(0)) {
    if (session.inTransaction()) await session.abortTransaction();
    await session.endSession();
  }
});
afterAll(() => database.close());

function begin(): ClientSession {
  const session = database.client.startSession();
  session.startTransaction();
  sessions.push(session);
  return session;
}

const ids = (docs: Document[]): unknown[] => docs.map(({ _id }) => _id);

describe("a transaction", () => {
  it("sees its own writes, and others see them after the commit", async () => {
    const collection = await database.seed({ _id: 0 });
    const session = begin();
    await collection.insertOne({ _id: 1 }, { session });
    await collection.updateOne({ _id: 0 }, { $set: { a: 1 } }, { session });
    expect(await collection.find({}, { session }).sort({ _id: 1 }).toArray()).toEqual([{ _id: 0, a: 1 }, { _id: 1 }]);
    expect(await collection.find({ a: 1 }, { session }).toArray()).toEqual([{ _id: 0, a: 1 }]);
    expect(await collection.find().toArray()).toEqual([{ _id: 0 }]);
    await session.commitTransaction();
    expect(await collection.find().sort({ _id: 1 }).toArray()).toEqual([{ _id: 0, a: 1 }, { _id: 1 }]);
  });

  it("leaves nothing when it aborts, not even a collection that it created", async () => {
    const collection = await database.seed({ _id: 0 });
    const session = begin();
    await collection.deleteOne({ _id: 0 }, { session });
    await database.db.collection("made-in-transaction").insertOne({}, { session });
    expect((await database.db.listCollections({ name: "made-in-transaction" }).toArray()).length).toBe(0);
    await session.abortTransaction();
    expect(await collection.find().toArray()).toEqual([{ _id: 0 }]);
    expect((await database.db.listCollections({ name: "made-in-transaction" }).toArray()).length).toBe(0);
  });

  it("reads from its snapshot by scan, by index and in sorted order, while others commit", async () => {
    const collection = await database.seed({ _id: 1, n: 1 }, { _id: 2, n: 2 }, { _id: 3, n: 3 });
    await collection.createIndex({ n: 1 });
    const session = begin();
    expect(await collection.countDocuments({}, { session })).toBe(3);
    await collection.deleteOne({ _id: 1 });
    await collection.updateOne({ _id: 2 }, { $set: { n: 20 } });
    await collection.insertOne({ _id: 4, n: 0 });
    expect(ids(await collection.find({}, { session }).sort({ n: 1 }).toArray())).toEqual([1, 2, 3]);
    expect(ids(await collection.find({ n: 2 }, { session }).toArray())).toEqual([2]);
    expect(ids(await collection.find({ n: { $gte: 20 } }, { session }).toArray())).toEqual([]);
    const [joined] = await collection
      .aggregate(
        [
          { $match: { _id: 1 } },
          { $lookup: { from: collection.collectionName, localField: "n", foreignField: "n", as: "self" } },
        ],
        { session },
      )
      .toArray();
    expect(ids(joined?.self)).toEqual([1]);
    await session.commitTransaction();
    expect(ids(await collection.find().sort({ n: 1 }).toArray())).toEqual([4, 3, 2]);
  });

  it("conflicts with another transaction that wrote the same document first", async () => {
    const collection = await database.seed({ _id: 0, n: 0 });
    const [first, second] = [begin(), begin()];
    await collection.updateOne({ _id: 0 }, { $inc: { n: 1 } }, { session: first });
    const error = await failure(collection.updateOne({ _id: 0 }, { $inc: { n: 1 } }, { session: second }));
    expect(error.code).toBe(112);
    expect(error.hasErrorLabel("TransientTransactionError")).toBe(true);
    await first.commitTransaction();
    expect((await failure(second.commitTransaction())).code).toBe(251);
    expect(await collection.findOne()).toEqual({ _id: 0, n: 1 });
  });

  it("conflicts with a write committed after its snapshot", async () => {
    const collection = await database.seed({ _id: 0, n: 0 });
    const session = begin();
    await collection.findOne({}, { session });
    await collection.updateOne({ _id: 0 }, { $set: { n: 5 } });
    expect((await failure(collection.deleteOne({ _id: 0 }, { session }))).code).toBe(112);
  });

  it("makes a write outside of transactions wait, and that write sees its result", async () => {
    const collection = await database.seed({ _id: 0, n: 0 });
    const session = begin();
    await collection.updateOne({ _id: 0 }, { $set: { n: 10 } }, { session });
    let done = false;
    const waiting = collection.updateMany({ n: { $lt: 100 } }, { $inc: { n: 1 } }).then(() => {
      done = true;
    });
    // Meanwhile the server answers other clients.
    for (let turn = 0; turn < 10; turn += 1) expect(await collection.findOne()).toEqual({ _id: 0, n: 0 });
    expect(done).toBe(false);
    await session.commitTransaction();
    await waiting;
    expect(await collection.findOne()).toEqual({ _id: 0, n: 11 });
  });

  it("keeps keys unique against other transactions and within itself", async () => {
    const collection = await database.seed({ _id: 0, k: "taken" });
    await collection.createIndex({ k: 1 }, { unique: true });
    const session = begin();
    await collection.insertOne({ _id: 1, k: "new" }, { session });
    const other = begin();
    expect((await failure(collection.insertOne({ k: "new" }, { session: other }))).code).toBe(112);
    const plain = collection.insertOne({ k: "new" }).then(
      () => "inserted",
      (error) => error.code,
    );
    await collection.deleteOne({ _id: 0 }, { session });
    await collection.insertOne({ _id: 2, k: "taken" }, { session });
    await session.commitTransaction();
    expect(await plain).toBe(11000);
    const last = begin();
    expect((await failure(collection.insertOne({ k: "taken" }, { session: last }))).code).toBe(11000);
  });

  it("commits in several databases atomically", async () => {
    const [a, b] = [database.client.db("one").collection<Row>("x"), database.client.db("two").collection<Row>("x")];
    const session = begin();
    await a.insertOne({ _id: 1 }, { session });
    await b.insertOne({ _id: 1 }, { session });
    expect(await b.countDocuments()).toBe(0);
    await session.commitTransaction();
    expect([await a.countDocuments(), await b.countDocuments()]).toEqual([1, 1]);
  });

  it("can be committed twice, and an unknown transaction cannot be committed", async () => {
    const collection = await database.seed();
    const session = begin();
    await collection.insertOne({ _id: 1 }, { session });
    await session.commitTransaction();
    await session.commitTransaction();
    expect(await collection.countDocuments()).toBe(1);
    const raw = await connectRaw(database.server.uri);
    const unknown = {
      commitTransaction: 1,
      lsid: { id: new UUID() },
      txnNumber: Long.fromNumber(9),
      autocommit: false,
      $db: "admin",
    };
    expect(await raw.send(unknown)).toMatchObject({ ok: 0, code: 251, codeName: "NoSuchTransaction" });
    raw.close();
  });

  it("is aborted after a minute without a command", async () => {
    const collection = await database.seed({ _id: 0 });
    const session = begin();
    await collection.updateOne({ _id: 0 }, { $set: { a: 1 } }, { session });
    database.clock.ms += 61_000;
    database.server.runMaintenance();
    expect((await failure(collection.findOne({}, { session }))).code).toBe(251);
    expect(await collection.findOne()).toEqual({ _id: 0 });
  });

  it("is retried by withTransaction until all increments are applied", async () => {
    const collection = await database.seed({ _id: 0, n: 0 });
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        const session = database.client.startSession();
        await session.withTransaction(() => collection.updateOne({ _id: 0 }, { $inc: { n: 1 } }, { session }));
        await session.endSession();
      }),
    );
    expect(await collection.findOne()).toEqual({ _id: 0, n: 8 });
  });

  it("refuses commands that are not allowed in transactions", async () => {
    const session = begin();
    const collection = await database.seed({ _id: 1 });
    expect((await failure(database.db.command({ count: collection.collectionName }, { session }))).code).toBe(263);
    const other = begin();
    expect((await failure(collection.aggregate([{ $out: "x" }], { session: other }).toArray())).code).toBe(263);
  });
});

describe("a retryable write", () => {
  it("is applied once, also if it is retried on another connection", async () => {
    const collection = await database.seed();
    const command = {
      update: collection.collectionName,
      updates: [{ q: { _id: 1 }, u: { $inc: { n: 1 } }, upsert: true }],
      lsid: { id: new UUID() },
      txnNumber: Long.fromNumber(7),
      $db: "test",
    };
    const [first, second] = [await connectRaw(database.server.uri), await connectRaw(database.server.uri)];
    const answer = await first.send(command);
    first.close();
    expect(answer).toMatchObject({ ok: 1, n: 1, upserted: [{ index: 0, _id: 1 }] });
    expect(await second.send(command)).toEqual(answer);
    expect(await second.send({ ...command, txnNumber: Long.fromNumber(6) })).toMatchObject({ ok: 0, code: 225 });
    second.close();
    expect(await collection.findOne()).toEqual({ _id: 1, n: 1 });
  });
});
