import { type Document, ObjectId, type UpdateFilter } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeOf, failure, openTestDatabase, type Row, type TestDatabase } from "./database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const stored = (name: string): Promise<Document[]> => database.db.collection(name).find().sort({ _id: 1 }).toArray();

describe("a write statement without a filter or limit", () => {
  it.each<[string, (name: string) => Document]>([
    ["delete", (name) => ({ delete: name, deletes: [{ limit: 0 }] })],
    ["delete with null", (name) => ({ delete: name, deletes: [{ q: null, limit: 0 }] })],
    ["update", (name) => ({ update: name, updates: [{ u: { $set: { a: 9 } } }] })],
    ["update of all", (name) => ({ update: name, updates: [{ u: { $set: { a: 9 } }, multi: true }] })],
    ["delete without a limit", (name) => ({ delete: name, deletes: [{ q: {} }] })],
    ["update without an update", (name) => ({ update: name, updates: [{ q: {} }] })],
    ["delete without statements", (name) => ({ delete: name })],
    ["insert without documents", (name) => ({ insert: name })],
  ])("is refused and changes nothing: %s", async (_, command) => {
    const docs = [
      { _id: 1, a: 1 },
      { _id: 2, a: 2 },
    ];
    const { collectionName } = await database.seed(...docs);
    expect(await codeOf(database.db.command(command(collectionName)))).toBe(40414);
    expect(await stored(collectionName)).toEqual(docs);
  });

  it("is refused in a bulkWrite over several collections", async () => {
    const { collectionName } = await database.seed({ _id: 1 }, { _id: 2 });
    const bulk = (op: Document): Promise<unknown> =>
      database.client
        .db("admin")
        .command({ bulkWrite: 1, ops: [op], nsInfo: [{ ns: `test.${collectionName}` }], cursor: {} });
    expect(await codeOf(bulk({ delete: 0, multi: true }))).toBe(40414);
    expect(await codeOf(bulk({ update: 0, updateMods: { $set: { a: 1 } } }))).toBe(40414);
    expect(await codeOf(bulk({ insert: 0 }))).toBe(40414);
    expect(await stored(collectionName)).toEqual([{ _id: 1 }, { _id: 2 }]);
  });

  it("is refused before earlier statements of the command run", async () => {
    const { collectionName } = await database.seed({ _id: 1 }, { _id: 2 });
    const deletes = [{ q: { _id: 1 }, limit: 1 }, { limit: 0 }];
    expect(await codeOf(database.db.command({ delete: collectionName, deletes }))).toBe(40414);
    expect(await stored(collectionName)).toEqual([{ _id: 1 }, { _id: 2 }]);
  });
});

describe("a collection with a validator", () => {
  const validator = { n: { $gte: 0 } };
  const optionsOf = async (name: string): Promise<Document | undefined> =>
    ((await database.db.listCollections({ name }).toArray())[0] as Document).options;

  it("keeps its documents and its validator when $out writes an invalid document", async () => {
    const target = await database.db.createCollection<Row>("out-target", { validator });
    await target.insertOne({ _id: 1, n: 1 });
    const source = await database.seed({ _id: 5, n: 5 }, { _id: 6, n: -1 });
    expect(await codeOf(source.aggregate([{ $out: "out-target" }]).toArray())).toBe(121);
    expect(await stored("out-target")).toEqual([{ _id: 1, n: 1 }]);
    await source.aggregate([{ $match: { n: 5 } }, { $out: "out-target" }]).toArray();
    expect(await stored("out-target")).toEqual([{ _id: 5, n: 5 }]);
    expect(await optionsOf("out-target")).toEqual({ validator });
    expect(await codeOf(target.insertOne({ _id: 7, n: -7 }))).toBe(121);
    await source.aggregate([{ $out: "out-target" }], { bypassDocumentValidation: true }).toArray();
    expect(await stored("out-target")).toEqual([
      { _id: 5, n: 5 },
      { _id: 6, n: -1 },
    ]);
  });

  it("checks the documents of $merge, unless validation is bypassed", async () => {
    await database.db.createCollection("merge-target", { validator });
    const source = await database.seed({ _id: 6, n: -1 });
    expect(await codeOf(source.aggregate([{ $merge: "merge-target" }]).toArray())).toBe(121);
    expect(await stored("merge-target")).toEqual([]);
    await source.aggregate([{ $merge: "merge-target" }], { bypassDocumentValidation: true }).toArray();
    expect(await stored("merge-target")).toEqual([{ _id: 6, n: -1 }]);
  });

  it.each<[string, number, Document]>([
    ["a validator that is a string", 14, { validator: "n > 0" }],
    ["a validator that does not parse", 2, { validator: { n: { $foo: 1 } } }],
    ["a level that is a number", 14, { validationLevel: 42 }],
    ["an unknown level", 2, { validationLevel: "sometimes" }],
    ["an action that is a number", 14, { validationAction: 42 }],
    ["an unknown action", 2, { validationAction: "ignore" }],
  ])("cannot be created or changed with %s", async (_, code, options) => {
    expect(await codeOf(database.db.command({ create: "never-made", ...options }))).toBe(code);
    expect(await database.db.listCollections({ name: "never-made" }).toArray()).toEqual([]);
    const { collectionName } = await database.seed({ _id: 1 });
    expect(await codeOf(database.db.command({ collMod: collectionName, ...options }))).toBe(code);
    expect(await optionsOf(collectionName)).toEqual({});
  });

  it("lets invalid documents stay invalid only at the level moderate", async () => {
    const collection = await database.seed({ _id: 1, n: -1 }, { _id: 2, n: 1 });
    await database.db.command({ collMod: collection.collectionName, validator, validationLevel: "moderate" });
    await collection.updateOne({ _id: 1 }, { $set: { n: -2 } });
    expect(await codeOf(collection.updateOne({ _id: 2 }, { $set: { n: -2 } }))).toBe(121);
    await database.db.command({ collMod: collection.collectionName, validationLevel: "strict" });
    expect(await codeOf(collection.updateOne({ _id: 1 }, { $set: { n: -3 } }))).toBe(121);
  });

  it("uses the time of the command for $$NOW in its validator", async () => {
    const collection = await database.db.createCollection<Row>("timed", {
      validator: { $expr: { $lte: ["$at", "$$NOW"] } },
    });
    await collection.insertOne({ _id: 1, at: new Date(database.clock.ms) });
    expect(await codeOf(collection.insertOne({ _id: 2, at: new Date(database.clock.ms + 1) }))).toBe(121);
    database.clock.ms += 1;
    await collection.insertOne({ _id: 2, at: new Date(database.clock.ms) });
  });
});

describe("an _id", () => {
  it.each<[string, Document]>([
    ["$rename away", { $rename: { _id: "old" } }],
    ["$rename onto it", { $rename: { a: "_id" } }],
    ["$unset", { $unset: { _id: 1 } }],
    ["$inc", { $inc: { _id: 1 } }],
  ])("does not change by %s", async (_, update) => {
    const collection = await database.seed({ _id: 1, a: 2 });
    expect(await codeOf(collection.updateOne({ _id: 1 }, update as UpdateFilter<Row>))).toBe(66);
    expect(await stored(collection.collectionName)).toEqual([{ _id: 1, a: 2 }]);
  });

  it("of the target does not change when $merge matches by another key", async () => {
    const target = await database.seed({ _id: 1, k: "a", old: true });
    await target.createIndex({ k: 1 }, { unique: true });
    const source = await database.seed({ _id: 7, k: "a", v: 1 });
    const merge = (whenMatched: string | Document[], first: Document[] = []): Promise<unknown> =>
      source.aggregate([...first, { $merge: { into: target.collectionName, on: "k", whenMatched } }]).toArray();
    for (const mode of ["replace", "merge"]) {
      const error = await failure(merge(mode));
      expect([error.code, error.message]).toEqual([66, expect.stringContaining("$merge failed to update")]);
      expect(await stored(target.collectionName)).toEqual([{ _id: 1, k: "a", old: true }]);
    }
    await merge("merge", [{ $unset: "_id" }]);
    expect(await stored(target.collectionName)).toEqual([{ _id: 1, k: "a", old: true, v: 1 }]);
    await merge([{ $set: { seen: "$$new._id" } }]);
    expect(await stored(target.collectionName)).toEqual([{ _id: 1, k: "a", old: true, v: 1, seen: 7 }]);
    await merge("replace", [{ $unset: "_id" }]);
    expect(await stored(target.collectionName)).toEqual([{ _id: 1, k: "a", v: 1 }]);
  });

  it("is created for documents of $merge without one", async () => {
    await database.db.command({ insert: "merged-without-id", documents: [{ _id: null, k: "kept" }] });
    const source = await database.seed({ _id: 1, v: 1 });
    await source.aggregate([{ $unset: "_id" }, { $merge: "merged-without-id" }]).toArray();
    const docs = await stored("merged-without-id");
    expect(docs).toEqual([
      { _id: null, k: "kept" },
      { _id: expect.any(ObjectId), v: 1 },
    ]);
  });

  it("can be null in an upsert and in a replacement", async () => {
    const ids = async (write: (collection: Document) => Promise<Document>): Promise<unknown[]> => {
      const collection = await database.seed();
      const { upsertedId } = await write(collection);
      return [upsertedId, (await stored(collection.collectionName)).map(({ _id }) => _id)];
    };
    expect(await ids((c) => c.updateOne({ _id: null }, { $set: { a: 1 } }, { upsert: true }))).toEqual([null, [null]]);
    expect(await ids((c) => c.replaceOne({ _id: null }, { a: 1 }, { upsert: true }))).toEqual([null, [null]]);
    expect(await ids((c) => c.replaceOne({ a: 1 }, { _id: null, a: 1 }, { upsert: true }))).toEqual([null, [null]]);
    expect(await ids((c) => c.updateOne({ a: 1 }, [{ $set: { _id: null } }], { upsert: true }))).toEqual([
      null,
      [null],
    ]);
  });
});

describe("names of databases and collections", () => {
  it("that differ only in case are refused for databases", async () => {
    await database.client.db("Cased").collection<Row>("c").insertOne({ _id: 1 });
    const other = database.client.db("cased").collection<Row>("c");
    const error = await failure(other.insertOne({ _id: 1 }));
    expect([error.code, error.codeName]).toEqual([13297, "DatabaseDifferCase"]);
    expect(await other.find().toArray()).toEqual([]);
    await database.client.db("Cased").dropDatabase();
    await other.insertOne({ _id: 2 });
    await other.drop();
    await database.client.db("CASED").collection<Row>("c").insertOne({ _id: 3 });
    expect((await database.client.db().admin().listDatabases()).databases.map(({ name }) => name)).toContain("CASED");
  });

  it("that collections cannot have are refused by $out and $merge", async () => {
    const source = await database.seed({ _id: 1 });
    for (const stage of [{ $out: "a$b" }, { $merge: "a$b" }, { $merge: { into: { db: "a b", coll: "c" } } }])
      expect(await codeOf(source.aggregate([stage]).toArray())).toBe(73);
  });
});
