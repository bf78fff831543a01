import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, copyFile, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MongoClient } from "mongodb";
import { afterEach, describe, expect, it } from "vitest";
import { type EmbeddedMongo, startEmbeddedMongo } from "../../../infra/local/mongo/start.ts";
import { type Row, temporaryDirectory } from "./database.ts";

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function dataDirectory(): Promise<string> {
  const directory = await temporaryDirectory();
  cleanups.push(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

interface Started {
  readonly mongo: EmbeddedMongo;
  readonly client: MongoClient;
  readonly lines: string[];
}

async function start(dataDir: string): Promise<Started> {
  const lines: string[] = [];
  const mongo = await startEmbeddedMongo({ dataDir, log: (line) => lines.push(line) });
  const client = await new MongoClient(mongo.uri, { serverSelectionTimeoutMS: 10_000 }).connect();
  cleanups.push(
    () => mongo.stop(),
    () => client.close(),
  );
  return { mongo, client, lines };
}

async function kill({ mongo }: Started): Promise<void> {
  process.kill(mongo.pid, "SIGKILL");
  await mongo.stop();
}

const journal = (dataDir: string, db: string): string => join(dataDir, "databases", db, "journal");

describe("kill -9 during writes", () => {
  it("loses no acknowledged write and leaves no part of a transaction", async () => {
    const dataDir = await dataDirectory();
    const first = await start(dataDir);
    const [left, right] = ["left", "right"].map((name) => first.client.db(name).collection<Row>("pairs")) as [
      never,
      never,
    ] as [ReturnType<typeof collectionOf>, ReturnType<typeof collectionOf>];
    const single = collectionOf(first.client, "single");
    const acknowledged = { single: [] as number[], pairs: [] as number[] };
    const writeSingles = async (): Promise<void> => {
      for (let i = 0; ; i++) {
        await single.insertOne({ _id: i, text: "x".repeat(i % 300) });
        acknowledged.single.push(i);
      }
    };
    const writePairs = async (): Promise<void> => {
      for (let i = 0; ; i++) {
        const session = first.client.startSession();
        session.startTransaction();
        await left.insertOne({ _id: i }, { session });
        await right.insertOne({ _id: i }, { session });
        await session.commitTransaction();
        acknowledged.pairs.push(i);
      }
    };
    const writers = [writeSingles(), writePairs()].map((writing) => writing.catch(() => undefined));
    await expect.poll(() => acknowledged.single.length > 50 && acknowledged.pairs.length > 5).toBe(true);
    await kill(first);
    await Promise.all(writers);

    const { client } = await start(dataDir);
    const idsOf = async (db: string, name: string): Promise<unknown[]> =>
      (await client.db(db).collection<Row>(name).find().sort({ _id: 1 }).toArray()).map(({ _id }) => _id);
    const singles = await idsOf("test", "single");
    expect(singles.slice(0, acknowledged.single.length)).toEqual(acknowledged.single);
    const [lefts, rights] = [await idsOf("left", "pairs"), await idsOf("right", "pairs")];
    expect(lefts).toEqual(rights);
    expect(lefts.slice(0, acknowledged.pairs.length)).toEqual(acknowledged.pairs);
  });
});

const collectionOf = (client: MongoClient, name: string) => client.db("test").collection<Row>(name);

async function filled(dataDir: string): Promise<void> {
  const started = await start(dataDir);
  const collection = collectionOf(started.client, "c");
  await collection.createIndex({ n: 1 }, { unique: true });
  for (let n = 0; n < 5; n++) await collection.insertOne({ _id: n, n });
  await started.client.close();
  await started.mongo.stop();
}

describe("a restart", () => {
  it("brings back documents, indexes, options, renames and drops", async () => {
    const dataDir = await dataDirectory();
    const first = await start(dataDir);
    const db = first.client.db("test");
    await db.createCollection("strict", { validator: { n: { $gt: 0 } } });
    await db.createCollection("view", { viewOn: "kept", pipeline: [{ $match: { a: 1 } }] });
    const kept = db.collection<Row>("temporary");
    await kept.createIndex({ a: 1, b: -1 }, { unique: true, partialFilterExpression: { a: { $exists: true } } });
    await kept.insertMany([
      { _id: 1, a: 1, b: 1 },
      { _id: 2, a: 2, b: 1 },
    ]);
    await kept.updateOne({ _id: 2 }, { $set: { c: "é" } });
    await kept.rename("kept");
    await db.collection("gone").insertOne({});
    await db.collection("gone").drop();
    await first.client.db("dropped").collection("x").insertOne({});
    await first.client.db("dropped").dropDatabase();
    await kill(first);

    const { client } = await start(dataDir);
    const again = client.db("test");
    expect((await again.listCollections().toArray()).map(({ name }) => name).sort()).toEqual([
      "kept",
      "strict",
      "view",
    ]);
    expect(await again.collection("kept").find().toArray()).toEqual([
      { _id: 1, a: 1, b: 1 },
      { _id: 2, a: 2, b: 1, c: "é" },
    ]);
    expect(await again.collection("view").find().toArray()).toEqual([{ _id: 1, a: 1, b: 1 }]);
    await expect(again.collection("kept").insertOne({ a: 1, b: 1 })).rejects.toMatchObject({ code: 11000 });
    await expect(again.collection("strict").insertOne({ n: 0 })).rejects.toMatchObject({ code: 121 });
    expect((await client.db().admin().listDatabases()).databases.map(({ name }) => name)).toEqual(["test"]);
  });

  it("cuts off an incomplete frame at the end of a journal and logs it", async () => {
    const dataDir = await dataDirectory();
    await filled(dataDir);
    const path = journal(dataDir, "test");
    const whole = await readFile(path);
    await writeFile(path, whole.subarray(0, whole.length - 7));
    const { client, lines } = await start(dataDir);
    expect(await collectionOf(client, "c").countDocuments()).toBe(4);
    await expect.poll(() => lines.join("\n")).toContain("bytes of an unfinished write");
    await collectionOf(client, "c").insertOne({ _id: 9, n: 9 });
  });

  it("refuses a journal that is damaged in the middle, with its file and byte", async () => {
    const dataDir = await dataDirectory();
    await filled(dataDir);
    const path = journal(dataDir, "test");
    const bytes = await readFile(path);
    bytes.writeUInt8(bytes.readUInt8(200) ^ 0xff, 200);
    await writeFile(path, bytes);
    await expect(startEmbeddedMongo({ dataDir })).rejects.toThrow(
      /^The database file .*journal is damaged at byte \d+: [^\n]*\.$/,
    );
    expect((await stat(path)).size).toBe(bytes.length);
  });

  it("ignores the unfinished file of a compaction that crashed", async () => {
    const dataDir = await dataDirectory();
    await filled(dataDir);
    const path = journal(dataDir, "test");
    await copyFile(path, `${path}.new`);
    await writeFile(`${path}.new`, (await readFile(path)).subarray(0, 100));
    const { client } = await start(dataDir);
    expect(await collectionOf(client, "c").countDocuments()).toBe(5);
    await expect(stat(`${path}.new`)).rejects.toThrow("ENOENT");
  });

  it("compacts a journal that is mostly garbage and keeps the state", async () => {
    const dataDir = await dataDirectory();
    const first = await start(dataDir);
    const collection = collectionOf(first.client, "c");
    await collection.insertMany(Array.from({ length: 40 }, (_, i) => ({ _id: i, i })));
    await collection.createIndex({ i: 1 });
    const path = journal(dataDir, "test");
    const { size: made } = await stat(path);
    for (let round = 1; round <= 5; round++)
      await collection.updateMany({}, { $set: { text: String(round).repeat(100_000) } });
    await first.client.close();
    await first.mongo.stop();
    // A running database would compact this much itself. Applying the same changes again restores the same state.
    await appendFile(path, (await readFile(path)).subarray(made));
    expect((await stat(path)).size).toBeGreaterThan(32 * 1024 * 1024);
    const second = await start(dataDir);
    expect((await stat(path)).size).toBeLessThan(5_000_000);
    expect(await collectionOf(second.client, "c").countDocuments({ text: "5".repeat(100_000) })).toBe(40);
    await kill(second);
    const { client } = await start(dataDir);
    expect(
      await collectionOf(client, "c")
        .find({}, { projection: { i: 1 } })
        .sort({ i: -1 })
        .limit(1)
        .toArray(),
    ).toEqual([{ _id: 39, i: 39 }]);
    expect((await collectionOf(client, "c").indexes()).length).toBe(2);
  });
});

describe("the database process", () => {
  it("closes its files and ends when its parent dies", async () => {
    const dataDir = await dataDirectory();
    const module = JSON.stringify(new URL("../../../infra/local/mongo/start.ts", import.meta.url).href);
    const program = `const { startEmbeddedMongo } = await import(${module});
      console.log((await startEmbeddedMongo({ dataDir: ${JSON.stringify(dataDir)} })).uri);`;
    const parent = spawn(process.execPath, ["--input-type=module", "-e", program], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [uri] = (await once(parent.stdout, "data")) as [Buffer];
    const client = await new MongoClient(uri.toString().trim()).connect();
    await collectionOf(client, "c").insertOne({ _id: 1 });
    await client.close();
    parent.kill("SIGKILL");
    await expect
      .poll(() =>
        stat(join(dataDir, "lock")).then(
          () => "held",
          () => "free",
        ),
      )
      .toBe("free");
    expect(await collectionOf((await start(dataDir)).client, "c").countDocuments()).toBe(1);
  });
});

describe("a data directory", () => {
  it("belongs to one process at a time, and the lock of a dead process is taken over", async () => {
    const dataDir = await dataDirectory();
    const first = await start(dataDir);
    await expect(startEmbeddedMongo({ dataDir })).rejects.toThrow(`is in use by process ${first.mongo.pid}.`);
    await kill(first);
    const second = await start(dataDir);
    expect(await second.client.db("admin").command({ ping: 1 })).toMatchObject({ ok: 1 });
  });
});

describe("SIGTERM", () => {
  it("ends the process during a heavy query without losing acknowledged writes", async () => {
    const dataDir = await dataDirectory();
    const first = await start(dataDir);
    const rows = first.client.db("busy").collection<Row>("rows");
    await rows.insertMany(Array.from({ length: 3_000 }, (_, i) => ({ _id: i })));
    // Nine million comparisons without an index: the answer would come long after the signal.
    const none = [{ $match: { $expr: { $lt: [{ $abs: "$_id" }, -1] } } }];
    const answered = rows
      .aggregate([{ $lookup: { from: "rows", pipeline: none, as: "none" } }, { $match: { none: { $ne: [] } } }])
      .toArray()
      .then(
        () => true,
        () => false,
      );
    await rows.insertOne({ _id: 3_000 });
    await first.mongo.stop();
    expect(await answered).toBe(false);
    const second = await start(dataDir);
    expect(await second.client.db("busy").collection<Row>("rows").countDocuments()).toBe(3_001);
    // Its lines are complete when it has ended.
    await second.client.close();
    await second.mongo.stop();
    expect(second.lines).toEqual([]);
  });
});
