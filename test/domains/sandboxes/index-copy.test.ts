import type { IndexDescription } from "mongodb";
import { afterAll, beforeAll, expect, test } from "vitest";
import { indexPlanOf, resolveSchema, standardSchemas } from "#shared/data/schema/schema";
import { indexCopy } from "#shared/sandboxes/run/copy";
import type { Provisioning } from "#shared/tenant/provisioning/provisioning";
import { openTestDatabase, type Row, type TestDatabase } from "../../local/mongo/database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const standard = standardSchemas().find(({ api_name }) => api_name === "app");
const name = standard?.properties.name;
const unique = (api_name: string) => ({ ...name, id: api_name, api_name, unique: true });
const schema = resolveSchema({
  ...standard,
  _id: "app",
  properties: { ...standard?.properties, code: unique("code"), number: unique("number") },
});

/** The fields of the indexes that a copy of these records gets. */
const indexesOf = async (...records: Row[]): Promise<string[]> => {
  const collection = await database.seed(...records);
  const createIndexes = async (copy: string, indexes: readonly IndexDescription[]): Promise<void> => {
    await database.db.collection(copy).createIndexes([...indexes]);
  };
  const provisioning = { createIndexes } as unknown as Provisioning;
  await indexCopy(provisioning, { from: collection.collectionName, to: "app" }, schema);
  return (await collection.indexes()).map(({ key }) => Object.keys(key).join());
};
const all = indexPlanOf(schema).indexes.map(({ key }) => Object.keys(key).join());

test("a copy has all indexes of its object", async () => {
  expect(all).toEqual(expect.arrayContaining(["code", "number"]));
  const made = await indexesOf({ _id: 1, code: "a", number: "1" }, { _id: 2, code: "b", number: "2" });
  expect(made.sort()).toEqual(["_id", ...all].sort());
});

test("a copy of records with equal values lacks the unique index over them, and no other", async () => {
  const made = await indexesOf({ _id: 1, code: "a", number: "1" }, { _id: 2, code: "a", number: "2" });
  expect(made.sort()).toEqual(["_id", ...all.filter((key) => key !== "code")].sort());
});
