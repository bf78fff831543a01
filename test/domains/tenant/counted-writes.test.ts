import { type ClientSession, Collection, type MongoClient } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type CountedWrites, countedMethods, countedWrites, refusedMethods } from "#shared/tenant/counted-writes";
import { tenantDatabase } from "#shared/tenant/database";
import { databaseClient } from "../../platform.ts";
import { firstCopy } from "../../setup/first-copy.ts";

/** Methods that change no document. With the counted and the refused ones they are all methods. */
const harmless = [
  ...["constructor", "dbName", "collectionName", "namespace", "fullNamespace", "readConcern", "readPreference"],
  ...["bsonOptions", "writeConcern", "hint", "timeoutMS", "options", "isCapped"],
  ...["findOne", "find", "aggregate", "watch", "estimatedDocumentCount", "countDocuments", "count", "distinct"],
  ...["createIndex", "createIndexes", "dropIndex", "dropIndexes", "listIndexes", "indexExists", "indexInformation"],
  ...[
    "indexes",
    "listSearchIndexes",
    "createSearchIndex",
    "createSearchIndexes",
    "dropSearchIndex",
    "updateSearchIndex",
  ],
];

let client: MongoClient;
let writes: CountedWrites;
let counters: () => Promise<Record<string, number>>;

beforeAll(async () => {
  client = await databaseClient();
});
afterAll(() => client.close());

let turn = 0;
beforeEach(async () => {
  turn += 1;
  const name = `counted_${process.pid}_${turn}`;
  const state = client
    .db(name)
    .collection<{ _id: string; collection_versions?: Record<string, number> }>("organization_state");
  await state.insertOne({ _id: name });
  writes = countedWrites(client, client.db(name), firstCopy(name));
  counters = async () => (await state.findOne())?.collection_versions ?? {};
});

const leads = () => writes.collection<{ _id: string; n?: number }>("lead");

describe("a tenant's collection", () => {
  it("has only methods that are counted, refused or reading", () => {
    const known = new Set<string | symbol>([...countedMethods, ...refusedMethods, ...harmless]);
    const unknown = Object.getOwnPropertyNames(Collection.prototype).filter((name) => !known.has(name));
    expect(unknown).toEqual([]);
  });

  it("counts each kind of write", async () => {
    const document = { _id: "a" };
    const all: Record<string, () => Promise<unknown>> = {
      insertOne: () => leads().insertOne(document),
      insertMany: () => leads().insertMany([{ _id: "b" }, { _id: "c" }]),
      updateOne: () => leads().updateOne({ _id: "a" }, { $set: { n: 1 } }),
      updateMany: () => leads().updateMany({}, { $set: { n: 2 } }),
      replaceOne: () => leads().replaceOne({ _id: "a" }, { n: 3 }),
      bulkWrite: () => leads().bulkWrite([{ deleteOne: { filter: { _id: "c" } } }]),
      findOneAndUpdate: () => leads().findOneAndUpdate({ _id: "a" }, { $set: { n: 4 } }),
      findOneAndReplace: () => leads().findOneAndReplace({ _id: "a" }, { n: 5 }),
      findOneAndDelete: () => leads().findOneAndDelete({ _id: "b" }),
      deleteOne: () => leads().deleteOne({ _id: "a" }),
      deleteMany: () => leads().deleteMany({}),
    };
    expect(new Set(Object.keys(all))).toEqual(countedMethods);
    let count = 0;
    for (const run of Object.values(all)) {
      await run();
      count += 1;
      expect(await counters()).toEqual({ lead: count });
    }
  });

  it("counts a committed transaction once for each collection", async () => {
    const seen: unknown[] = [];
    await writes.transaction(async (session) => {
      await leads().insertMany([{ _id: "a" }, { _id: "b" }], { session });
      await leads().updateOne({ _id: "a" }, { $set: { n: 1 } }, { session });
      await writes.collection<{ _id: string }>("note").insertOne({ _id: "n" }, { session });
      seen.push(await counters());
    });
    expect([...seen, await counters()]).toEqual([{}, { lead: 1, note: 1 }]);
  });

  it("does not count an aborted transaction, reads, or collections that cannot be queried", async () => {
    const failing = writes.transaction(async (session) => {
      await leads().insertOne({ _id: "a" }, { session });
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    await leads().find().toArray();
    await leads().createIndex({ n: 1 });
    await writes.collection<{ _id: string }>("admitted_session").insertOne({ _id: "s" });
    expect(await counters()).toEqual({});
  });

  it("counts a batch that failed in part", async () => {
    await expect(leads().insertMany([{ _id: "a" }, { _id: "a" }])).rejects.toThrow(/E11000/);
    expect(await counters()).toEqual({ lead: 1 });
  });

  it("refuses writes that could not be counted", async () => {
    const foreign = (session: ClientSession) => leads().insertOne({ _id: "x" }, { session });
    await client.withSession(async (session) => {
      await expect(foreign(session)).rejects.toThrow(/own transactions/);
    });
    expect(() => leads().drop()).toThrow(/no drop/);
    expect(() => leads().initializeOrderedBulkOp()).toThrow(/no initialize/);
    expect(() => leads().aggregate([{ $out: "note" }])).toThrow(/may not write/);
    const database = tenantDatabase(client, client.db("counted"), firstCopy("counted"));
    expect(() => database.read("lead", [{ $match: {} }, { $out: "note" }])).toThrow(/may not write/);
    expect(() => leads().aggregate([{ $merge: { into: "note" } }])).toThrow(/may not write/);
  });
});
