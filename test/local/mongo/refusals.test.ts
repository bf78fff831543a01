import { Long } from "bson";
import type { Document } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeOf, failure, openTestDatabase, type TestDatabase } from "./database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

describe("unsupported features of MongoDB are refused by name", () => {
  it.each<[string, Document]>([
    ["$where", { $where: "true" }],
    ["$text", { $text: { $search: "x" } }],
    ["$near", { a: { $near: [0, 0] } }],
    ["$geoWithin", { a: { $geoWithin: { $center: [[0, 0], 1] } } }],
    ["$function", { $expr: { $function: { body: "f", args: [], lang: "js" } } }],
    ["possessive quantifiers", { a: { $regex: "a*+" } }],
    ["the atomic group", { a: { $regex: "(?>a)" } }],
  ])("filter: %s", async (name, filter) => {
    const collection = await database.seed({ a: 1 });
    expect((await failure(collection.find(filter).toArray())).message).toContain(name);
  });

  it.each(["$densify", "$fill", "$bucketAuto", "$geoNear", "$search", "$vectorSearch", "$changeStream", "$currentOp"])(
    "stage: %s",
    async (name) => {
      const collection = await database.seed({ a: 1 });
      expect((await failure(collection.aggregate([{ [name]: {} }]).toArray())).message).toBe(
        `${name} is not supported by the embedded database`,
      );
    },
  );

  it.each<[string, Document]>([
    ["text", { a: "text" }],
    ["2dsphere", { a: "2dsphere" }],
    ["hashed", { a: "hashed" }],
    ["wildcard", { "$**": 1 }],
  ])("index: %s", async (name, key) => {
    const collection = await database.seed({ a: 1 });
    expect((await failure(collection.createIndex(key as Record<string, 1>))).message).toContain(name);
  });

  it("collations that Intl orders differently from MongoDB", async () => {
    const collection = await database.seed({ a: 1 });
    expect((await failure(collection.find({}, { collation: { locale: "sv" } }).toArray())).message).toContain(
      "locale 'sv'",
    );
    expect(
      (await failure(collection.find({}, { collation: { locale: "en", strength: 4 } }).toArray())).message,
    ).toContain("strength 4");
  });

  it("capped and time-series collections", async () => {
    expect((await failure(database.db.createCollection("capped", { capped: true, size: 1000 }))).message).toContain(
      "capped",
    );
    expect(
      (await failure(database.db.createCollection("series", { timeseries: { timeField: "t" } }))).message,
    ).toContain("timeseries");
  });

  it("transcendental functions of decimals", async () => {
    const collection = await database.seed({ a: 1 });
    const pipeline = [{ $project: { r: { $sqrt: { $toDecimal: 2 } } } }];
    expect((await failure(collection.aggregate(pipeline).toArray())).message).toContain("$sqrt of a decimal");
  });
});

describe("wrong requests are refused with MongoDB's codes", () => {
  it.each<[number, Document]>([
    [2, { a: { $foo: 1 } }],
    [2, { $foo: 1 }],
    [2, { $and: [] }],
    [2, { a: { $in: 5 } }],
    [2, { a: { $mod: [0, 1] } }],
    [2, { a: { $not: 5 } }],
    [168, { $expr: { $foo: 1 } }],
    [17276, { $expr: { $eq: ["$$nope", 1] } }],
    [51091, { a: { $regex: "(" } }],
    [9, { $jsonSchema: { foo: 1 } }],
  ])("filter: %i", async (code, filter) => {
    const collection = await database.seed({ a: 1 });
    expect(await codeOf(collection.find(filter).toArray())).toBe(code);
  });

  it.each<[number, Document]>([
    [40324, { $foo: 1 }],
    [168, { $project: { a: { $foo: 1 } } }],
    [15952, { $group: { _id: 1, a: { $foo: 1 } } }],
    [15955, { $group: { a: { $sum: 1 } } }],
    [15958, { $limit: 0 }],
    [31254, { $project: { a: 1, b: 0 } }],
    [16020, { $project: { a: { $subtract: [1] } } }],
    [2, { $project: { a: { $divide: [1, 0] } } }],
    [17124, { $project: { a: { $size: "$a" } } }],
    [40228, { $replaceWith: "$a" }],
    [241, { $project: { a: { $toInt: "x" } } }],
    [40485, { $project: { a: { $year: { date: new Date(0), timezone: "Mars/Phobos" } } } }],
    [40323, { $limit: 1, $skip: 1 }],
  ])("stage: %i", async (code, stage) => {
    const collection = await database.seed({ a: 1 });
    expect(await codeOf(collection.aggregate([stage]).toArray())).toBe(code);
  });

  it.each<[number, Document, Document]>([
    [14, { a: "s" }, { $inc: { a: 1 } }],
    [14, { a: null }, { $inc: { a: 1 } }],
    [2, { a: Long.MAX_VALUE }, { $inc: { a: 1 } }],
    [2, { a: "s" }, { $push: { a: 1 } }],
    [40, { a: 1 }, { $set: { a: 1 }, $inc: { a: 1 } }],
    [40, { a: 1 }, { $set: { a: 1, "a.b": 1 } }],
    [66, { a: 1 }, { $set: { _id: 2 } }],
    [28, { a: 1 }, { $set: { "a.b": 1 } }],
    [28, { a: [1] }, { $set: { "a.b": 1 } }],
    [9, { a: 1 }, { $foo: { a: 1 } }],
    [2, { a: [1] }, { $set: { "a.$": 1 } }],
    [2, { a: [1] }, { $set: { "a.$[x]": 1 } }],
    [56, { a: 1 }, { $set: { "": 1 } }],
    [52, { a: 1 }, { $set: { $b: 1 } }],
    [2, { a: 1 }, { $rename: { a: "a" } }],
    [2, { a: 5.5 }, { $bit: { a: { and: 1 } } }],
  ])("update: %i", async (code, doc, update) => {
    const collection = await database.seed({ _id: 1, ...doc });
    expect(await codeOf(collection.updateOne({ _id: 1 }, update))).toBe(code);
    expect(await collection.findOne({ _id: 1 })).toEqual(await (await database.seed({ _id: 1, ...doc })).findOne());
  });

  it("in commands, cursors and documents", async () => {
    expect(await codeOf(database.db.command({ fooBar: 1 }))).toBe(59);
    expect(await codeOf(database.db.command({ getMore: Long.fromNumber(5), collection: "x" }))).toBe(43);
    expect(await codeOf(database.db.command({ find: "x", surprise: 1 }))).toBe(40415);
    const collection = await database.seed();
    expect(await codeOf(collection.insertOne({ _id: [1] as never }))).toBe(53);
    expect(await codeOf(collection.insertMany([{ _id: 1 as never }, { _id: 1 as never }]))).toBe(11000);
    expect(await codeOf(database.db.collection("a$b").insertOne({}))).toBe(73);
    await collection.insertOne({ big: "x".repeat(9_000_000) });
    expect(await codeOf(collection.updateOne({ big: { $exists: true } }, [{ $set: { more: "$big" } }]))).toBe(10334);
  });

  it("an operation that exceeds maxTimeMS", async () => {
    const collection = await database.seed(...Array.from({ length: 2000 }, (_, i) => ({ i })));
    const slow = {
      $expr: {
        $gt: [{ $reduce: { input: { $range: [0, 5000] }, initialValue: 0, in: { $add: ["$$value", 1] } } }, 1e9],
      },
    };
    expect(await codeOf(collection.find(slow, { maxTimeMS: 50 }).toArray())).toBe(50);
  });
});
