import type { Document, UpdateFilter } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accumulatorNames } from "../../../infra/local/mongo/expressions/accumulators.ts";
import { operatorNames } from "../../../infra/local/mongo/expressions/compile.ts";
import table from "../../../infra/local/mongo/foundation/operators.json" with { type: "json" };
import { stageNames } from "../../../infra/local/mongo/stages/registry.ts";
import { windowNames } from "../../../infra/local/mongo/stages/window-functions.ts";
import allowed from "../../../shared/data/pipeline/allowed-operators.json" with { type: "json" };
import { expressionCases } from "./cases/expressions.ts";
import { queryCases } from "./cases/queries.ts";
import { accumulatorCases, accumulatorDocs, otherDocs, stageCases, windowCases, windowDocs } from "./cases/stages.ts";
import { updateCases } from "./cases/updates.ts";
import { expectExactly, openTestDatabase, type Row, type TestDatabase, typed } from "./database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
  await database.db.collection<Row>("other").insertMany(otherDocs);
});
afterAll(() => database.close());

const sorted = (names: Iterable<string>): string[] => [...names].sort();

describe("the table of operators", () => {
  it("lists all implemented operators and no others", () => {
    expect(sorted(table.expressions)).toEqual(sorted(operatorNames()));
    expect(sorted(table.stages)).toEqual(sorted(stageNames));
    expect(sorted(table.accumulators)).toEqual(sorted(accumulatorNames));
    expect(sorted(table.window)).toEqual(sorted(windowNames));
  });

  it.each([
    ["stages", table.stages, stageCases],
    ["expressions", table.expressions, expressionCases],
    ["accumulators", table.accumulators, accumulatorCases],
    ["window", table.window, windowCases],
    ["query", table.query, queryCases],
    ["update", table.update, updateCases],
  ])("has a case for each of its %s", (_, listed, cases: Record<string, readonly unknown[]>) => {
    expect(sorted(Object.keys(cases))).toEqual(sorted(listed));
    for (const [name, list] of Object.entries(cases)) expect(list.length, name).toBeGreaterThan(0);
  });

  it.each(Object.entries(allowed) as [keyof typeof allowed, string[]][])(
    "has all %s that the pipeline route allows",
    (kind, names) => {
      expect(names.filter((name) => !table[kind].includes(name))).toEqual([]);
    },
  );

  it("has stages that write or show other collections, which the pipeline route refuses", () => {
    const refused = ["$collStats", "$documents", "$indexStats", "$merge", "$out"];
    expect(table.stages.filter((name) => !allowed.stages.includes(name))).toEqual(refused);
    expect(Object.keys(allowed)).not.toContain("update");
  });
});

describe("expressions", () => {
  it.each(Object.keys(expressionCases))("%s", async (name) => {
    for (const [expression, value, doc = {}] of expressionCases[name] ?? []) {
      const collection = await database.seed({ _id: 1, ...doc });
      const [result] = await collection.aggregate([{ $project: { _id: 0, r: expression } }], typed).toArray();
      expectExactly({ expression, result }, { expression, result: value === undefined ? {} : { r: value } });
    }
  });
});

describe("query operators", () => {
  it.each(Object.keys(queryCases))("%s", async (name) => {
    for (const [docs, filter, found] of queryCases[name] ?? []) {
      const collection = await database.seed(...docs.map((doc, _id) => ({ _id, ...doc })));
      const ids = async (): Promise<unknown[]> =>
        (await collection.find(filter).sort({ _id: 1 }).toArray()).map(({ _id }) => _id);
      expectExactly({ filter, found: await ids() }, { filter, found });
      // An index must never change a result.
      await collection.createIndex({ a: 1 });
      await collection.createIndex({ "a.k": -1 });
      await collection.createIndex({ "a.b": 1 });
      expectExactly({ indexed: filter, found: await ids() }, { indexed: filter, found });
    }
  });
});

describe("update operators", () => {
  it.each(Object.keys(updateCases))("%s", async (name) => {
    for (const [doc, update, becomes, { filter = {}, ...options } = {}] of updateCases[name] ?? []) {
      const collection = await database.seed({ _id: 1, ...doc });
      await collection.updateOne({ _id: 1, ...filter }, update as UpdateFilter<Row>, options);
      const result = await collection.findOne({}, typed);
      expectExactly({ update, result }, { update, result: { _id: 1, ...becomes } });
    }
  });
});

/** Replaces placeholders in a case: its own collection and its target. */
const named = (value: unknown, names: Record<string, string>): unknown =>
  JSON.stringify(value).match(/"\$(self|target)"/) === null
    ? value
    : JSON.parse(JSON.stringify(value).replace(/"\$(self|target)"/g, (_, key: string) => JSON.stringify(names[key])));

describe("stages", () => {
  it.each(Object.keys(stageCases))("%s", async (name) => {
    for (const [docs, pipeline, result] of stageCases[name] ?? []) {
      const collection = await database.seed(...docs);
      const target = `target${collection.collectionName}`;
      const stages = named(pipeline, { self: collection.collectionName, target }) as Document[];
      const source = name === "$documents" ? database.db : collection;
      let actual = await source.aggregate(stages, typed).toArray();
      if (name === "$out" || name === "$merge") actual = await database.db.collection(target).find({}, typed).toArray();
      expectExactly({ pipeline, result: actual }, { pipeline, result });
    }
  });
});

describe("accumulators", () => {
  it.each(Object.keys(accumulatorCases))("%s", async (name) => {
    for (const [spec, value] of accumulatorCases[name] ?? []) {
      const collection = await database.seed(...accumulatorDocs);
      const [result] = await collection.aggregate([{ $group: { _id: null, r: { [name]: spec } } }], typed).toArray();
      expectExactly(result?.r, value);
    }
  });
});

describe("window functions", () => {
  it.each(Object.keys(windowCases))("%s", async (name) => {
    for (const [output, values] of windowCases[name] ?? []) {
      const collection = await database.seed(...windowDocs);
      const docs = await collection
        .aggregate([{ $setWindowFields: { sortBy: { x: 1 }, output: { r: output } } }])
        .toArray();
      expect(
        docs.map(({ r }) => r),
        JSON.stringify(output),
      ).toEqual(values);
    }
  });
});
