import type { Document } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { failure, openTestDatabase, type TestDatabase } from "./database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const path = "x\0y";
const lookup = { from: "other", localField: "x", foreignField: "x", as: "z" };
const graph = { from: "other", startWith: "$x", connectFromField: "x", connectToField: "x", as: "z" };

/** Names in BSON end at a NUL, so a path with a NUL cannot name a field. */
describe("a field path with a NUL is refused before anything is read", () => {
  it.each<[string, Document]>([
    ["$group", { $group: { _id: `$${path}` } }],
    ["$group, inside", { $group: { _id: null, a: { $push: `$a.${path}` } } }],
    ["$sortByCount", { $sortByCount: `$${path}` }],
    ["$unwind", { $unwind: `$${path}` }],
    ["includeArrayIndex", { $unwind: { path: "$x", includeArrayIndex: path } }],
    ["$replaceRoot", { $replaceRoot: { newRoot: `$${path}` } }],
    ["a variable's path", { $project: { r: `$$ROOT.${path}` } }],
    ["$unset", { $unset: path }],
    ["localField", { $lookup: { ...lookup, localField: path } }],
    ["foreignField", { $lookup: { ...lookup, foreignField: path } }],
    ["as", { $lookup: { ...lookup, as: path } }],
    ["connectFromField", { $graphLookup: { ...graph, connectFromField: path } }],
    ["connectToField", { $graphLookup: { ...graph, connectToField: path } }],
    ["as of $graphLookup", { $graphLookup: { ...graph, as: path } }],
    ["depthField", { $graphLookup: { ...graph, depthField: path } }],
    ["$getField", { $project: { r: { $getField: path } } }],
    ["$setField", { $project: { r: { $setField: { field: path, input: "$$ROOT", value: 1 } } } }],
  ])("in %s", async (_, stage) => {
    const collection = await database.seed({ _id: 1, x: 1, y: 2 });
    expect((await failure(collection.aggregate([stage]).toArray())).code).toBe(16411);
  });

  it("in distinct", async () => {
    const collection = await database.seed({ _id: 1, x: 1, y: 2 });
    expect((await failure(collection.distinct(path))).code).toBe(16411);
  });

  it("in $rename", async () => {
    const collection = await database.seed({ _id: 1, x: 1 });
    expect((await failure(collection.updateOne({}, { $rename: { x: path } }))).code).toBe(16411);
    expect(await collection.findOne()).toEqual({ _id: 1, x: 1 });
  });

  it("as is a path that is deeper than documents can be", async () => {
    const collection = await database.seed({ _id: 1, x: 1 });
    const deep = Array.from({ length: 201 }, () => "a").join(".");
    expect((await failure(collection.aggregate([{ $project: { r: `$${deep}` } }]).toArray())).code).toBe(5984700);
  });
});
