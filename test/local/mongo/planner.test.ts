import type { Collection, Document } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeOf, openTestDatabase, type Row, type TestDatabase } from "./database.ts";

let database: TestDatabase;
let people: Collection<Row>;
beforeAll(async () => {
  database = await openTestDatabase();
  people = await database.seed(
    ...Array.from({ length: 3000 }, (_, i) => ({
      _id: i,
      city: `city ${i % 30}`,
      age: i % 90,
      tags: [`t${i % 7}`, `t${i % 11}`],
      ...(i % 10 === 0 ? { vip: true } : {}),
    })),
  );
  await people.createIndex({ city: 1, age: -1 });
  await people.createIndex({ age: 1 });
  await people.createIndex({ tags: 1 });
  await people.createIndex({ vip: 1 }, { sparse: true });
  await people.createIndex({ city: 1 }, { name: "vips", partialFilterExpression: { vip: true } });
});
afterAll(() => database.close());

interface Explained {
  readonly stages: string[];
  readonly index: string | undefined;
  readonly keys: number;
  readonly docs: number;
  readonly returned: number;
}

function stagesIn(plan: Document): Document[] {
  const inner = plan.inputStage === undefined ? (plan.inputStages ?? []) : [plan.inputStage];
  return [plan, ...(inner as Document[]).flatMap(stagesIn)];
}

async function explain(
  filter: Document,
  sort: Document = {},
  limit = 0,
  collation?: { locale: string; strength: number },
): Promise<Explained> {
  const plan = await people
    .find(filter, { sort: sort as never, limit, ...(collation ? { collation } : {}) })
    .explain("executionStats");
  const stages = stagesIn(plan.queryPlanner.winningPlan);
  return {
    stages: stages.map(({ stage }) => stage),
    index: stages.find(({ stage }) => stage === "IXSCAN")?.indexName,
    keys: plan.executionStats.totalKeysExamined,
    docs: plan.executionStats.totalDocsExamined,
    returned: plan.executionStats.nReturned,
  };
}

describe("the planner", () => {
  it.each<[string, Document, Document, number, Partial<Explained>]>([
    ["_id", { _id: 7 }, {}, 0, { index: "_id_", docs: 1 }],
    ["_id in a list", { _id: { $in: [1, 2, 3] } }, {}, 0, { index: "_id_", docs: 3 }],
    [
      "the index of a long list of values, most of which are absent",
      { age: { $in: [5, ...Array.from({ length: 500 }, (_, i) => 1_000 + i)] } },
      {},
      0,
      { index: "age_1", docs: 34, returned: 34 },
    ],
    [
      "the order of an index if a long list of values holds for most records",
      { age: { $in: Array.from({ length: 500 }, (_, i) => i) } },
      { _id: 1 },
      10,
      { index: "_id_", docs: 10, returned: 10 },
    ],
    ["equality", { age: 5 }, {}, 0, { index: "age_1", docs: 34 }],
    ["a range", { age: { $gte: 88 } }, {}, 0, { index: "age_1", docs: 66 }],
    ["both fields of a compound index", { city: "city 3", age: { $gt: 30 } }, {}, 0, { index: "city_1_age_-1" }],
    [
      "sort and limit from an index",
      { city: "city 3" },
      { age: -1 },
      5,
      { index: "city_1_age_-1", docs: 5, stages: ["FETCH", "IXSCAN"] },
    ],
    [
      "sort and limit from an index read backwards",
      { city: "city 3" },
      { age: 1 },
      5,
      { index: "city_1_age_-1", docs: 5, stages: ["FETCH", "IXSCAN"] },
    ],
    ["sort alone with a limit", {}, { age: 1 }, 10, { index: "age_1", docs: 10 }],
    ["an element of an array", { tags: "t10" }, {}, 0, { index: "tags_1" }],
    ["each branch of $or", { $or: [{ _id: 5 }, { age: 89 }] }, {}, 0, { stages: ["FETCH", "OR", "IXSCAN", "IXSCAN"] }],
    ["the prefix of a string", { city: /^city 12/ }, {}, 0, { index: "city_1_age_-1" }],
    ["$expr equality", { $expr: { $eq: ["$age", 5] } }, {}, 0, { index: "age_1", docs: 34 }],
    ["a sparse index if the filter requires the field", { vip: true }, {}, 0, { index: "vip_1" }],
    ["no index", { nothing: 1 }, {}, 0, { stages: ["COLLSCAN"], docs: 3000 }],
    ["no sparse index for null", { vip: null }, {}, 0, { stages: ["COLLSCAN"], returned: 2700 }],
    [
      "a sort stage for an order that no index has",
      { age: 5 },
      { city: 1 },
      0,
      { stages: ["SORT", "FETCH", "IXSCAN"] },
    ],
  ])("uses %s", async (_, filter, sort, limit, expected) => {
    expect(await explain(filter, sort, limit)).toMatchObject(expected);
  });

  it("uses a partial index only if the query implies its filter", async () => {
    expect((await explain({ city: "city 20", vip: true }, {}, 0)).docs).toBe(100);
    expect((await explain({ city: "city 20" })).index).toBe("city_1_age_-1");
  });

  it("does not use an index of another collation for strings", async () => {
    expect((await explain({ city: "CITY 3" }, {}, 0, { locale: "en", strength: 2 })).stages).toEqual(["COLLSCAN"]);
    expect((await explain({ city: "CITY 3" }, {}, 0, { locale: "en", strength: 2 })).returned).toBe(100);
  });

  it("follows hints and refuses wrong ones", async () => {
    const plan = await people.find({ age: 5 }).hint({ $natural: 1 }).explain();
    expect(plan.queryPlanner.winningPlan.stage).toBe("COLLSCAN");
    expect(await codeOf(people.find({ age: 5 }).hint("none").toArray())).toBe(2);
  });

  it("pushes $match, $sort and $limit of a pipeline into the index", async () => {
    const plan = await people
      .aggregate([{ $match: { city: "city 3" } }, { $sort: { age: -1 } }, { $limit: 5 }])
      .explain("executionStats");
    expect(plan.executionStats).toMatchObject({ totalDocsExamined: 5 });
  });

  it("joins without a scan for each document", async () => {
    const left = await database.seed(...Array.from({ length: 1000 }, (_, i) => ({ _id: i, k: i * 3 })));
    const right = await database.seed(...Array.from({ length: 10_000 }, (_, i) => ({ _id: i, f: i })));
    const scanning = performance.now();
    for (let scan = 0; scan < 10; scan += 1) await right.find({ nothing: scan }).toArray();
    const oneScan = (performance.now() - scanning) / 10;
    const correlated = {
      from: right.collectionName,
      let: { k: "$k" },
      pipeline: [{ $match: { $expr: { $eq: ["$f", "$$k"] } } }],
      as: "j",
    };
    const plain = { from: right.collectionName, localField: "k", foreignField: "f", as: "j" };
    for (const lookup of [correlated, plain]) {
      const joining = performance.now();
      const joined = await left.aggregate([{ $lookup: lookup }]).toArray();
      // A scan for each document would take 1,000 times as long as one.
      expect((performance.now() - joining) / oneScan).toBeLessThan(300);
      expect(
        joined.filter(({ j }) => j.length === 1 && j[0].f === joined.find(({ j: other }) => other === j)?.k).length,
      ).toBe(1000);
    }
  });
});
