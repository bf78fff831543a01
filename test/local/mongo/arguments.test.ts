import { type Document, Long, Timestamp, UUID } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commandArguments } from "../../../infra/local/mongo/arguments/commands.ts";
import { commandsAt } from "../../../infra/local/mongo/commands/registry.ts";
import { stageNames } from "../../../infra/local/mongo/stages/registry.ts";
import { refusedStages } from "./cases/stage-arguments.ts";
import { codeOf, failure, openTestDatabase, type TestDatabase } from "./database.ts";
import { connectRaw } from "./raw-client.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
  await database.db.collection("c").insertMany([{ a: 1 }, { a: 2 }]);
});
afterAll(() => database.close());

const run = (command: Document): Promise<Document> => database.db.command(command);
/** Fixed, so that the names of the tests stay the same. */
const id = new UUID("00000000-0000-4000-8000-000000000001");
const names = [...commandsAt("127.0.0.1:0").keys()].sort();

/** MongoDB accepts any argument in these: they name parameters and sections, or answer clients of any version. */
const open = [
  "buildInfo",
  "buildinfo",
  "getLog",
  "getParameter",
  "hello",
  "hostInfo",
  "isMaster",
  "ismaster",
  "ping",
  "serverStatus",
  "whatsmyuri",
];

describe("the arguments of commands", () => {
  it("have a table for every command", () => {
    expect(Object.keys(commandArguments).sort()).toEqual(names);
    expect(names.filter((name) => commandArguments[name as keyof typeof commandArguments] === "open")).toEqual(open);
  });

  it.each(names.filter((name) => !open.includes(name)))("are refused by %s if they are unknown", async (name) => {
    const raw = await connectRaw(database.server.uri);
    const session = { id: new UUID() };
    // Their first argument has a type of its own.
    const first: Record<string, unknown> = {
      explain: { find: "c" },
      endSessions: [session],
      refreshSessions: [session],
      getMore: Long.fromNumber(1),
      connectionStatus: 1,
      bulkWrite: 1,
      dropDatabase: 1,
    };
    const transaction = name.endsWith("Transaction")
      ? { lsid: session, txnNumber: Long.fromNumber(1), autocommit: false }
      : {};
    const reply = await raw.send({ [name]: first[name] ?? "never", surprise: 1, ...transaction, $db: "never" });
    raw.close();
    expect(reply).toMatchObject({ ok: 0, code: 40415, errmsg: `BSON field '${name}.surprise' is an unknown field.` });
  });

  it.each<[number, Document]>([
    [14, { find: "c", filter: 5 }],
    [14, { find: "c", sort: [1] }],
    [14, { find: "c", limit: "1" }],
    [51024, { find: "c", limit: -1 }],
    [51024, { find: "c", skip: -1 }],
    [14, { find: "c", singleBatch: 1 }],
    [14, { find: "c", let: 5 }],
    [9, { find: "c", hint: 5 }],
    [2, { find: 5 }],
    [73, { find: "" }],
    [73, { find: ".c" }],
    [40414, { aggregate: "c", cursor: {} }],
    [14, { aggregate: "c", pipeline: {}, cursor: {} }],
    [14, { aggregate: "c", pipeline: [5], cursor: {} }],
    [14, { aggregate: "c", pipeline: [], cursor: 5 }],
    [40415, { aggregate: "c", pipeline: [], cursor: { size: 5 } }],
    [9, { aggregate: "c", pipeline: [] }],
    [9, { aggregate: 2, pipeline: [], cursor: {} }],
    [9, { count: "c", limit: "1" }],
    [9, { count: "c", skip: -1 }],
    [14, { count: "c", query: 5 }],
    [40414, { distinct: "c" }],
    [14, { distinct: "c", key: 5 }],
    [14, { getMore: 5, collection: "c" }],
    [40414, { getMore: Long.fromNumber(5) }],
    [40414, { killCursors: "c" }],
    [14, { killCursors: "c", cursors: [1] }],
    [14, { insert: "c", documents: [5] }],
    [14, { insert: "c", documents: [{}], ordered: 1 }],
    [14, { update: "c", updates: [{ q: 5, u: {} }] }],
    [9, { update: "c", updates: [{ q: {}, u: 5 }] }],
    [14, { update: "c", updates: [{ q: {}, u: {}, multi: 1 }] }],
    [14, { update: "c", updates: [{ q: {}, u: {}, arrayFilters: {} }] }],
    [40415, { update: "c", updates: [{ q: {}, u: {}, surprise: 1 }] }],
    [14, { delete: "c", deletes: [{ q: {}, limit: "1" }] }],
    [9, { delete: "c", deletes: [{ q: {}, limit: 2 }] }],
    [40415, { delete: "c", deletes: [{ q: {}, limit: 1, surprise: 1 }] }],
    [9, { findAndModify: "c", update: 5 }],
    [14, { findAndModify: "c", query: 5, remove: true }],
    [14, { findAndModify: "c", remove: "yes" }],
    [14, { create: "new", viewOn: 5 }],
    [2, { create: "new", viewOn: "" }],
    [72, { create: "new", pipeline: [] }],
    [14, { collMod: "c", index: 5 }],
    [40415, { collMod: "c", index: { name: "x", surprise: 1 } }],
    [40414, { createIndexes: "c" }],
    [14, { createIndexes: "c", indexes: {} }],
    [40414, { dropIndexes: "c" }],
    [14, { dropIndexes: "c", index: 5 }],
    [5255100, { dropDatabase: 2 }],
    [14, { listCollections: 1, filter: 5 }],
    [14, { listIndexes: "c", cursor: 5 }],
    [40414, { renameCollection: "test.c" }],
    [14, { renameCollection: "test.c", to: 5 }],
    [14, { explain: 5 }],
    [9, { explain: { find: "c" }, verbosity: "loud" }],
    [40415, { explain: { find: "c", surprise: 1 } }],
    [40414, { explain: { delete: "c", deletes: [{ limit: 1 }] } }],
    [238, { collStats: "c", scale: 1024 }],
  ])("are refused with MongoDB's code %i: %j", async (code, command) => {
    const raw = await connectRaw(database.server.uri);
    const reply = await raw.send({ ...command, $db: "test" });
    raw.close();
    expect(reply).toMatchObject({ ok: 0, code });
  });

  it("are checked before the first statement of a command runs", async () => {
    const collection = await database.seed({ _id: 1 });
    const updates = [
      { q: {}, u: { $set: { a: 1 } } },
      { q: {}, u: { $set: { a: 2 } }, surprise: 1 },
    ];
    expect(await codeOf(run({ update: collection.collectionName, updates }))).toBe(40415);
    expect(await collection.findOne()).toEqual({ _id: 1 });
  });
});

describe("the arguments that any command may have", () => {
  const generic = {
    lsid: { id: new UUID() },
    readConcern: { level: "majority", afterClusterTime: new Timestamp({ t: 5, i: 1 }) },
    writeConcern: { w: "majority", j: true, wtimeout: 100 },
    maxTimeMS: 10_000,
    comment: { who: "a test" },
    apiVersion: "1",
    apiStrict: false,
    apiDeprecationErrors: true,
    $readPreference: { mode: "primaryPreferred" },
    $clusterTime: { clusterTime: new Timestamp({ t: 5, i: 1 }) },
  };

  it.each<[string, Document]>([
    ["find", { find: "c", let: { x: 1 }, collation: { locale: "en" }, hint: "_id_" }],
    ["aggregate", { aggregate: "c", pipeline: [], cursor: {}, let: { x: 1 }, hint: { _id: 1 } }],
    ["count", { count: "c", query: {}, collation: { locale: "en" } }],
    ["update", { update: "c", updates: [{ q: {}, u: { $set: { a: 1 } }, hint: "_id_" }], let: { x: 1 } }],
    ["delete", { delete: "c", deletes: [{ q: { a: 9 }, limit: 0, collation: { locale: "en" } }], let: { x: 1 } }],
    ["ping", { ping: 1 }],
    ["listCollections", { listCollections: 1, nameOnly: true, cursor: { batchSize: 1 } }],
  ])("are accepted by %s", async (_, command) => {
    const raw = await connectRaw(database.server.uri);
    expect(await raw.send({ ...command, ...generic, $db: "test" })).toMatchObject({ ok: 1 });
    raw.close();
  });

  it.each<[number, Document]>([
    [14, { lsid: 5 }],
    [40414, { lsid: {} }],
    [14, { lsid: { id: "x" } }],
    [14, { lsid: { id }, txnNumber: 5 }],
    [72, { txnNumber: Long.fromNumber(5) }],
    [72, { lsid: { id }, txnNumber: Long.fromNumber(5), autocommit: true }],
    [72, { lsid: { id }, txnNumber: Long.fromNumber(5), startTransaction: true }],
    [14, { maxTimeMS: "5" }],
    [51024, { maxTimeMS: -5 }],
    [2, { maxTimeMS: 1.5 }],
    [14, { writeConcern: "majority" }],
    [40415, { writeConcern: { surprise: 1 } }],
    [9, { writeConcern: { w: 51 } }],
    [322, { apiVersion: "2" }],
    [14, { apiStrict: 1 }],
  ])("are refused with code %i if their type is wrong: %j", async (code, options) => {
    const raw = await connectRaw(database.server.uri);
    for (const command of [{ find: "c" }, { ping: 1 }])
      expect(await raw.send({ ...command, ...options, $db: "test" })).toMatchObject({ ok: 0, code });
    raw.close();
  });

  it("never let a write run outside of its transaction", async () => {
    const raw = await connectRaw(database.server.uri);
    const insert = { insert: "loose", documents: [{ _id: 1 }], $db: "test", txnNumber: Long.fromNumber(1) };
    const reply = await raw.send({ ...insert, autocommit: false, startTransaction: true });
    raw.close();
    expect(reply).toMatchObject({ ok: 0, code: 72 });
    expect(await database.db.collection("loose").countDocuments()).toBe(0);
  });

  it("set the read concern of a transaction only in its first command", async () => {
    const session = database.client.startSession();
    session.startTransaction({ readConcern: { level: "snapshot" } });
    const collection = database.db.collection("c");
    await collection.findOne({}, { session });
    await collection.findOne({}, { session });
    const late = database.db.command({ find: "c", readConcern: { level: "snapshot" } }, { session });
    expect(await codeOf(late)).toBe(72);
    await session.endSession();
  });
});

describe("the arguments of stages", () => {
  it("have cases for every stage", () => {
    expect(Object.keys(refusedStages).sort()).toEqual([...stageNames].sort());
  });

  it.each(Object.keys(refusedStages))("are refused with MongoDB's codes by %s, before anything runs", async (name) => {
    const target = database.db.collection("stage-target");
    for (const [code, spec] of refusedStages[name] ?? []) {
      const source = name === "$documents" ? database.db : database.db.collection("c");
      const stages = [{ [name]: spec }];
      expect({ spec, code: await codeOf(source.aggregate(stages).toArray()) }).toEqual({ spec, code });
      if (["$out", "$merge", "$documents", "$collStats", "$indexStats"].includes(name)) continue;
      // At any position; and the target of the pipeline is not created.
      const inner = [{ $match: {} }, { $unionWith: { coll: "c", pipeline: [{ $limit: 5 }, ...stages] } }];
      expect({ spec, code: await codeOf(source.aggregate(inner).toArray()) }).toEqual({ spec, code });
      const written = source.aggregate([...stages, { $out: "stage-target" }]).toArray();
      expect({ spec, code: (await failure(written)).code }).toEqual({ spec, code });
    }
    expect(await target.countDocuments()).toBe(0);
  });

  it("are checked in updates with a pipeline", async () => {
    const collection = await database.seed({ _id: 1 });
    const codes: [unknown, number][] = [
      [{ $set: 5 }, 40272],
      [{ $unset: [] }, 31119],
      [{ $replaceRoot: { newRoot: {}, surprise: 1 } }, 40415],
    ];
    for (const [stage, code] of codes) expect(await codeOf(collection.updateOne({}, [stage as Document]))).toBe(code);
    expect(await collection.findOne()).toEqual({ _id: 1 });
  });
});
