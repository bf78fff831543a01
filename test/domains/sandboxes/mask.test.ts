import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { maskedJson } from "#shared/sandboxes/copying/mask";
import { openTestDatabase, type TestDatabase } from "../../local/mongo/database.ts";
import { propertyRuns } from "../../setup/property-runs.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const MASK = "********";

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

const secretNames = ["api_key", "Password", "client secret", "accessToken", "private-key", "AUTHORIZATION"];
const openNames = ["url", "key", "author", "", "a.b", "items", "é"];

const plainMask = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(plainMask);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]): [string, Json] => {
    if (!secretNames.includes(name)) return [name, plainMask(member)];
    return [name, member === null || typeof member === "boolean" ? member : MASK];
  });
  return Object.fromEntries(members);
};

const scalar: fc.Arbitrary<Json> = fc.oneof(
  fc.string(),
  fc.constantFrom(...secretNames),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
);
const names = fc.constantFrom(...secretNames, ...openNames, ...openNames);
const { tree } = fc.letrec<{ tree: Json }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 6, depthSize: "large" },
    scalar,
    fc.array(tie("tree"), { maxLength: 4 }),
    fc.dictionary(names, tie("tree"), { maxKeys: 4, noNullPrototype: true }),
  ),
}));
/** The value inside of so many lists and objects. */
const wrapped = (value: Json, names: readonly (string | null)[]): Json =>
  names.reduceRight<Json>(
    (inner, name) => (name === null ? [inner, 1] : { before: 1, [name]: inner, after: "b" }),
    value,
  );
const value = fc
  .tuple(
    tree,
    fc.array(fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...openNames) }, names, fc.constant(null)), {
      maxLength: 14,
    }),
  )
  .map(([inner, around]) => wrapped(inner, around));

const maskOf = async (values: readonly Json[]): Promise<Json[]> => {
  const collection = await database.seed(...values.map((json, _id) => ({ _id, json, other: { password: "a" } })));
  const rows = await collection.aggregate([{ $set: { json: maskedJson("$json") } }, { $sort: { _id: 1 } }]).toArray();
  for (const { other } of rows) expect(other).toEqual({ password: "a" });
  return rows.map(({ json }) => json);
};

test("the database masks JSON values as a plain reading of the rule does", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(value, { minLength: 20, maxLength: 40 }), async (values) => {
      const masked = await maskOf(values);
      // The order of members counts.
      expect(masked.map((json) => JSON.stringify(json))).toEqual(values.map((json) => JSON.stringify(plainMask(json))));
    }),
    propertyRuns(400),
  );
});

test("secrets of a JSON value are masked at the 20th level", async () => {
  const at = (level: number): Json => wrapped({ api_key: "x", url: "y" }, Array(level - 1).fill("items"));
  const masked = (level: number): Json => wrapped({ api_key: MASK, url: "y" }, Array(level - 1).fill("items"));
  expect(await maskOf([at(1), at(19), at(20)])).toEqual([masked(1), masked(19), masked(20)]);
});
