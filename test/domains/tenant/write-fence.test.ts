import { randomBytes } from "node:crypto";
import { type CommandStartedEvent, MongoClient } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { type CountedWrites, countedMethods, countedWrites } from "#shared/tenant/counted-writes";
import { keptCollections } from "#shared/tenant/documents";
import { closeFence, createFence, openFence } from "#shared/tenant/write-fence";
import { firstCopy } from "../../setup/first-copy.ts";

interface Lead {
  _id: string;
  n?: number;
}

let client: MongoClient;
/** The commands since the beginning of the test, without those that end a session. */
const sent: string[] = [];

beforeAll(async () => {
  client = await new MongoClient(inject("platform").mongoUri, { monitorCommands: true }).connect();
  client.on("commandStarted", ({ commandName, command }: CommandStartedEvent) => {
    const on: unknown = command[commandName];
    if (commandName !== "endSessions") sent.push(typeof on === "string" ? `${commandName} ${on}` : commandName);
  });
});
afterAll(() => client.close());

let id: string;
let first: CountedWrites;
let refusals: number;
const opened = (generation: string | null): CountedWrites =>
  countedWrites(client, client.db(id), { organization_id: id, generation, is_sandbox: true }, () => {
    refusals += 1;
  });
const db = () => client.db(id);
const states = () => db().collection<{ _id: string }>("organization_state");
const leads = (writes: CountedWrites) => writes.collection<Lead>("lead");
const stored = () => db().collection<Lead>("lead").find().sort({ _id: 1 }).toArray();
const refusal = { code: "sandbox_refreshing", status: 503, headers: { "retry-after": "5" } };

beforeEach(async () => {
  id = `fence_${randomBytes(6).toString("hex")}`;
  await createFence(db(), "a");
  await states().insertOne({ _id: id, status: "active", generation: "a" } as { _id: string });
  refusals = 0;
  first = opened("a");
  sent.length = 0;
});

/** Closes the fence and opens it for another generation, as a refresh does. */
const replace = async (): Promise<void> => {
  await closeFence(db(), "b", 60_000);
  await states().updateOne({ _id: id }, { $set: { generation: "b" } });
  await openFence(db(), "b");
};

describe("a sandbox's writes", () => {
  it("pass the fence in their transactions while it is open for their generation", async () => {
    await first.transaction(async (session) => {
      await leads(first).insertOne({ _id: "a" }, { session });
      await leads(first).updateOne({ _id: "a" }, { $set: { n: 1 } }, { session });
    });
    expect(sent).toEqual([
      ...["update write_fence", "insert lead", "update lead", "commitTransaction"],
      "update organization_state",
    ]);
    expect(await stored()).toEqual([{ _id: "a", n: 1 }]);
  });

  it("outside of transactions run in one that passes the fence, with the same results", async () => {
    const lead = leads(first);
    const all: Record<string, () => Promise<unknown>> = {
      insertOne: () => lead.insertOne({ _id: "a" }),
      insertMany: () => lead.insertMany([{ _id: "b" }, { _id: "c" }], { ordered: true }),
      updateOne: () => lead.updateOne({ _id: "d" }, { $set: { n: 1 } }, { upsert: true }),
      updateMany: () => lead.updateMany({}, { $set: { n: 2 } }),
      replaceOne: () => lead.replaceOne({ _id: "a" }, { n: 3 }),
      bulkWrite: () => lead.bulkWrite([{ deleteOne: { filter: { _id: "c" } } }]),
      findOneAndUpdate: () => lead.findOneAndUpdate({ _id: "a" }, { $set: { n: 4 } }, { returnDocument: "after" }),
      findOneAndReplace: () => lead.findOneAndReplace({ _id: "a" }, { n: 5 }, { returnDocument: "before" }),
      findOneAndDelete: () => lead.findOneAndDelete({ _id: "b" }),
      deleteOne: () => lead.deleteOne({ _id: "a" }),
      deleteMany: () => lead.deleteMany({}),
    };
    expect(new Set(Object.keys(all))).toEqual(countedMethods);
    const results: unknown[] = [];
    for (const run of Object.values(all)) {
      sent.length = 0;
      results.push(await run());
      expect([sent[0], ...sent.slice(-2)]).toEqual([
        "update write_fence",
        "commitTransaction",
        "update organization_state",
      ]);
    }
    const counts = { acknowledged: true, matchedCount: 4, modifiedCount: 4, upsertedId: null, upsertedCount: 0 };
    expect(results).toEqual([
      { acknowledged: true, insertedId: "a" },
      { acknowledged: true, insertedCount: 2, insertedIds: { 0: "b", 1: "c" } },
      { ...counts, matchedCount: 0, modifiedCount: 0, upsertedId: "d", upsertedCount: 1 },
      counts,
      { ...counts, matchedCount: 1, modifiedCount: 1 },
      expect.objectContaining({ deletedCount: 1 }),
      { _id: "a", n: 4 },
      { _id: "a", n: 4 },
      { _id: "b", n: 2 },
      { acknowledged: true, deletedCount: 1 },
      { acknowledged: true, deletedCount: 1 },
    ]);
  });

  it("of an earlier generation are refused, and forget where the database is", async () => {
    await leads(first).insertOne({ _id: "a" });
    await replace();
    await expect(leads(first).insertOne({ _id: "old" })).rejects.toMatchObject(refusal);
    const inTransaction = first.transaction((session) => leads(first).insertOne({ _id: "old" }, { session }));
    await expect(inTransaction).rejects.toMatchObject(refusal);
    await expect(leads(first).bulkWrite([{ insertOne: { document: { _id: "old" } } }])).rejects.toMatchObject(refusal);
    await leads(opened("b")).insertOne({ _id: "b" });
    expect([await stored(), refusals]).toEqual([[{ _id: "a" }, { _id: "b" }], 3]);
  });

  it("are refused while the fence is closed, for every generation and for none", async () => {
    await closeFence(db(), "b", 60_000);
    for (const generation of ["a", "b", null]) {
      await expect(leads(opened(generation)).insertOne({ _id: "x" })).rejects.toMatchObject(refusal);
    }
    expect(await stored()).toEqual([]);
  });

  it("of the state are refused too after the data was replaced, because it describes the other copy", async () => {
    await replace();
    const indexed = first.collection<{ _id: string }>("organization_state").updateOne({ _id: id }, { $set: { n: 1 } });
    await expect(indexed).rejects.toMatchObject(refusal);
    expect(await states().findOne()).toEqual({ _id: id, status: "active", generation: "b" });
  });

  it("of collections that a refresh keeps need no fence", async () => {
    await closeFence(db(), "b", 60_000);
    const free = [...keptCollections].filter((name) => !["organization_state", "write_fence"].includes(name));
    expect(free.sort()).toEqual(["admitted_session", "field_data_key", "slow_query"]);
    for (const name of free) await first.collection<{ _id: string }>(name).insertOne({ _id: "kept" });
    for (const name of free) expect(await db().collection(name).countDocuments()).toBe(1);
  });

  it("of indexes are refused while the gate is up, and after the data was replaced", async () => {
    await leads(first).createIndex({ n: 1 });
    await states().updateOne({ _id: id }, { $set: { status: "refreshing" } });
    await expect(leads(first).createIndexes([{ key: { m: 1 } }])).rejects.toMatchObject(refusal);
    await states().updateOne({ _id: id }, { $set: { status: "active" } });
    await replace();
    await expect(leads(first).createIndex({ m: 1 })).rejects.toMatchObject(refusal);
    await expect(leads(first).dropIndex("n_1")).rejects.toMatchObject(refusal);
    expect((await db().collection("lead").indexes()).map(({ name }) => name)).toEqual(["_id_", "n_1"]);
  });
});

describe("an ordinary organization's writes", () => {
  it("send no command for the fence", async () => {
    const writes = countedWrites(client, db(), firstCopy(id));
    await leads(writes).insertOne({ _id: "a" });
    await writes.transaction((session) => leads(writes).updateOne({ _id: "a" }, { $set: { n: 1 } }, { session }));
    await leads(writes).createIndex({ n: 1 });
    expect(sent).toEqual([
      ...["insert lead", "update organization_state"],
      ...["update lead", "commitTransaction", "update organization_state"],
      "createIndexes lead",
    ]);
  });
});

describe("closing the write fence", () => {
  it("waits for a transaction that has passed it, whose write is kept", async () => {
    let closed = false;
    let closing: Promise<void> = Promise.resolve();
    await first.transaction(async (session) => {
      await leads(first).insertOne({ _id: "a" }, { session });
      closing = closeFence(db(), "b", 60_000).then(() => {
        closed = true;
      });
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(closed).toBe(false);
      await leads(first).insertOne({ _id: "b" }, { session });
    });
    await closing;
    expect([closed, await stored()]).toEqual([true, [{ _id: "a" }, { _id: "b" }]]);
    await expect(leads(first).insertOne({ _id: "c" })).rejects.toMatchObject(refusal);
  });

  it("gives up after its time, and can be repeated", async () => {
    await first.transaction(async (session) => {
      await leads(first).insertOne({ _id: "a" }, { session });
      await expect(closeFence(db(), "b", 100)).rejects.toMatchObject({ codeName: "MaxTimeMSExpired" });
    });
    await closeFence(db(), "b", 60_000);
    await closeFence(db(), "b", 60_000);
    await openFence(db(), "b");
    await leads(opened("b")).insertOne({ _id: "b" });
    expect(await stored()).toEqual([{ _id: "a" }, { _id: "b" }]);
  });

  it("needs a complete fence to be opened again", async () => {
    await db().collection<Lead>("write_fence").deleteOne({ _id: "3" });
    await closeFence(db(), "b", 60_000);
    await expect(openFence(db(), "b")).rejects.toThrow("has no write fence for b");
    await createFence(db(), "b");
    await closeFence(db(), "c", 60_000);
    await openFence(db(), "c");
    expect(await db().collection("write_fence").countDocuments({ generation: "c" })).toBe(16);
  });

  it("does nothing when it comes late, and what is closed for a later copy is not opened for an earlier one", async () => {
    await closeFence(db(), "b", 60_000);
    await openFence(db(), "b");
    await closeFence(db(), "b", 60_000);
    await leads(opened("b")).insertOne({ _id: "a" });
    await closeFence(db(), "c", 60_000);
    await expect(openFence(db(), "b")).rejects.toThrow("has no write fence for b");
    await expect(leads(opened("b")).insertOne({ _id: "b" })).rejects.toMatchObject(refusal);
  });
});

it("many writers of one sandbox are all let through", async () => {
  const writers = Array.from({ length: 24 }, (_, index) => leads(first).insertOne({ _id: `w${index}` }));
  await Promise.all(writers);
  const fences = await db().collection<{ _id: string; writes: number }>("write_fence").find().toArray();
  expect(fences.reduce((sum, { writes }) => sum + writes, 0)).toBe(24);
  expect((await stored()).length).toBe(24);
});
