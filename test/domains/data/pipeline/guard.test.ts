import { randomBytes } from "node:crypto";
import type { Db, Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databaseClient } from "../../../platform.ts";
import { confined, sourceOf, withoutNamesIn } from "./confined.ts";

const lead = sourceOf("lead", ["name", "amount", "status", "company"]);
const company = sourceOf("company", ["name"]);
const mine = { owner: "me" };
const myLead = sourceOf("lead", ["name", "amount", "company"], mine);
const myCompany = sourceOf("company", ["name"], mine);

let client: MongoClient;
let db: Db;

beforeAll(async () => {
  client = await databaseClient();
  db = client.db(`pipeline_${randomBytes(6).toString("hex")}`);
  const documents = (kind: string, count: number, more: (index: number) => Document) =>
    Array.from({ length: count }, (_, index) => {
      const id = `${kind}${index}`;
      return { _id: id as never, id, owner: index % 2 === 0 ? "me" : "other", secret: `SECRET ${id}`, ...more(index) };
    });
  await db.collection("company").insertMany(documents("c", 200, (index) => ({ name: `Company ${index}` })));
  await db.collection("lead").insertMany(
    documents("l", 2_000, (index) => ({
      name: `Lead ${index}`,
      amount: index,
      status: index % 10 === 0 ? "New" : "Old",
      company: { id: `c${index % 200}`, schema: "company", name: `Company ${index % 200}` },
      created_date: new Date(index * 1000),
    })),
  );
  await db
    .collection("lead")
    .createIndexes([{ key: { amount: 1 } }, { key: { "company.id": 1 } }, { key: { created_date: 1 } }]);
});

afterAll(async () => {
  await db.dropDatabase();
  await client.close();
});

/** Whether the plan scans the collection, and how many documents it examines. */
const examined = async (pipeline: readonly unknown[], sources = [lead, company]): Promise<[string, number]> => {
  const explained = await db.collection("lead").aggregate(confined(sources, pipeline)).explain("executionStats");
  const text = JSON.stringify(explained);
  const docs = Number(/"totalDocsExamined":(\d+)/.exec(text)?.[1]);
  return [text.includes("IXSCAN") || text.includes("IDHACK") ? "index" : "scan", docs];
};

describe("a guarded stage on readable fields uses their index", () => {
  it.each<[string, unknown[], number]>([
    ["a match", [{ $match: { amount: 7 } }], 1],
    ["matches one after the other", [{ $match: { status: "New" } }, { $match: { amount: { $gte: 10, $lt: 20 } } }], 10],
    ["a match on id", [{ $match: { id: "l5" } }], 1],
    ["a match on a lookup", [{ $match: { "company.id": "c5" } }], 10],
    ["a match by expression", [{ $match: { $expr: { $eq: ["$amount", 7] } } }], 1],
    ["ISO text on a date-time", [{ $match: { created_date: { $lt: "1970-01-01T00:00:05Z" } } }], 5],
    ["an order with a page", [{ $sort: { amount: -1 } }, { $skip: 5 }, { $limit: 5 }, { $project: { name: 1 } }], 10],
    ["a match before a group", [{ $match: { amount: { $lt: 3 } } }, { $group: { _id: "$status" } }], 3],
  ])("%s", async (_, pipeline, documents) => expect(await examined(pipeline)).toEqual(["index", documents]));

  it("also uses it with a filter on records", async () => {
    expect(await examined([{ $match: { amount: 8 } }], [myLead])).toEqual(["index", 1]);
    expect(await examined([{ $match: { id: "l8" } }, { $project: { x: { $toInt: "$amount" } } }], [myLead])).toEqual([
      "index",
      1,
    ]);
  });

  it("also uses it if a lookup loses its names", async () => {
    const nameless = withoutNamesIn(lead, "company");
    expect(await examined([{ $match: { "company.id": "c5" } }, { $count: "n" }], [nameless])).toEqual(["index", 10]);
    const byName = [{ $match: { "company.name": "Company 5" } }, { $count: "n" }];
    expect(
      await db
        .collection("lead")
        .aggregate(confined([nameless], byName))
        .toArray(),
    ).toEqual([]);
    expect(() => confined([nameless], [joinBy("company.name")])).toThrow('use "company.id"');
    expect(() => confined([nameless], [joinBy("company")])).toThrow('use "company.id"');
  });

  it.each<[string, Document]>([
    ["fields", { localField: "id", foreignField: "company.id" }],
    ["fields and a pipeline", { localField: "id", foreignField: "company.id", pipeline: [{ $project: { name: 1 } }] }],
    ["variables", { let: { c: "$id" }, pipeline: [{ $match: { $expr: { $eq: ["$company.id", "$$c"] } } }] }],
  ])("a join by %s", async (_, join) => {
    const before = await uses("company.id_1");
    const pipeline = confined([company, lead], [{ $lookup: { from: "lead", as: "leads", ...join } }]);
    const found = await db.collection("company").aggregate(pipeline).toArray();
    expect(found.map(({ leads }) => leads.length)).toEqual(found.map(() => 10));
    expect(JSON.stringify(found)).not.toContain("SECRET");
    expect(await uses("company.id_1")).toBeGreaterThan(before);
  });
});

const joinBy = (foreignField: string): Document => ({
  $lookup: { from: "lead", localField: "name", foreignField, as: "x" },
});

const uses = async (index: string): Promise<number> => {
  const stats = await db
    .collection("lead")
    .aggregate([{ $indexStats: {} }])
    .toArray();
  return Number(stats.find(({ name }) => name === index)?.accesses.ops);
};

describe("unreadable fields are removed before any stage of the caller", () => {
  const fields = { $project: Object.fromEntries([...lead.readable].map((name) => [name, 1])) };
  it.each<[string, unknown]>([
    ["a match", { $match: { secret: "SECRET l1" } }],
    ["an expression", { $match: { $expr: { $eq: ["$secret", "SECRET l1"] } } }],
    ["a part of the root", { $match: { $expr: { $eq: ["$$ROOT.secret", "SECRET l1"] } } }],
    ["the root", { $match: { $expr: { $ne: ["$$ROOT", null] } } }],
    ["a name in a text", { $match: { $expr: { $eq: [{ $getField: "secret" }, "SECRET l1"] } } }],
    ["a schema", { $match: { $jsonSchema: { required: ["secret"] } } }],
    ["an order", { $sort: { secret: 1 } }],
    ["a group", { $group: { _id: "$secret" } }],
    ["a group of the root", { $group: { _id: null, all: { $push: "$$CURRENT" } } }],
  ])("%s comes after it", (_, stage) => expect(confined([lead], [stage])).toEqual([fields, stage]));

  it("a group of readable fields needs no removal of fields", () =>
    expect(confined([lead], [{ $group: { _id: "$status" } }])).toEqual([{ $group: { _id: "$status" } }]));
});

describe("a filter on records", () => {
  const all = async (sources: Parameters<typeof confined>[0], pipeline: unknown[]): Promise<string> =>
    JSON.stringify(await db.collection("lead").aggregate(confined(sources, pipeline)).toArray());

  it.each<[string, unknown[]]>([
    ["$lookup by fields", [{ $lookup: { from: "company", localField: "company.id", foreignField: "id", as: "x" } }]],
    [
      "$lookup by a pipeline",
      [{ $limit: 3 }, { $lookup: { from: "company", pipeline: [{ $unionWith: "lead" }], as: "x" } }],
    ],
    ["$unionWith", [{ $unionWith: "company" }, { $unionWith: { coll: "lead", pipeline: [{ $sort: { name: 1 } }] } }]],
    ["$facet", [{ $facet: { x: [{ $unionWith: "company" }] } }]],
    [
      "$graphLookup",
      [
        {
          $graphLookup: {
            from: "company",
            startWith: "$company.id",
            connectFromField: "id",
            connectToField: "id",
            as: "x",
            restrictSearchWithMatch: { $or: [{ name: { $exists: true } }] },
          },
        },
      ],
    ],
  ])("holds in %s", async (_, pipeline) => {
    const shown = await all([myLead, myCompany], pipeline);
    expect(shown).toMatch(/"[lc]\d*[02468]"/);
    expect(shown).not.toMatch(/"id":"[lc]\d*[13579]","(?:name|created_date|amount)/);
    expect(shown).not.toMatch(/SECRET|other/);
  });

  it("comes first, and expressions that can fail are behind a barrier", () => {
    const failing = { $match: { $expr: { $gt: [{ $toInt: "$name" }, 1] } } };
    const stages = confined([myLead], [{ $match: { amount: { $gt: 1 } } }, failing]);
    expect(stages.map((stage) => Object.keys(stage)[0])).toEqual(["$match", "$match", "$project", "$limit", "$match"]);
    expect([stages[0], stages[3]]).toEqual([{ $match: mine }, { $limit: Number.MAX_SAFE_INTEGER }]);
  });

  it("keeps expressions that can fail out of the filter of a search", () => {
    const search = { from: "lead", startWith: "$id", connectFromField: "id", connectToField: "id", as: "x" };
    const failing = { $expr: { $gt: [{ $toInt: "$name" }, 1] } };
    expect(() => confined([myLead], [{ $graphLookup: { ...search, restrictSearchWithMatch: failing } }])).toThrow(
      /only comparisons/,
    );
  });
});
