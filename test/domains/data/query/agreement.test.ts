import { randomBytes } from "node:crypto";
import * as fc from "fast-check";
import type { Db, Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseQuery } from "#shared/data/query/parse/parse";
import { databaseClient } from "../../../platform.ts";
import { propertyRuns } from "../../../setup/property-runs.ts";
import { joinQuery, tables } from "./arbitrary-joins.ts";
import { leadCondition, leadDocument, leadReader } from "./arbitrary-leads.ts";
import { compile } from "./catalog-fixture.ts";
import { printCondition } from "./print-query.ts";
import { evaluate, order, referenceNow, type Value } from "./reference-condition.ts";
import { referenceRows } from "./reference-query.ts";

let client: MongoClient;
let db: Db;

beforeAll(async () => {
  client = await databaseClient();
  db = client.db(`query_${randomBytes(6).toString("hex")}`);
});

afterAll(async () => {
  await db.dropDatabase();
  await client.close();
});

const aggregate = (text: string): Promise<Document[]> => {
  const { collection, pipeline } = compile(text, { now: referenceNow });
  return db.collection(collection).aggregate(pipeline).toArray();
};

const store = async (records: readonly Document[]): Promise<Document[]> => {
  const stored = records.map((record, index) => ({
    _id: `r${String(index).padStart(3, "0")}`,
    id: `r${String(index).padStart(3, "0")}`,
    ...record,
  }));
  const collection = db.collection<Document & { _id: string }>("lead");
  await collection.deleteMany({});
  await collection.insertMany(structuredClone(stored));
  return stored;
};

const leads = fc.sample(leadDocument, { numRuns: 250, seed: 20_260_318 });

describe("a query gives the result that SQL defines", () => {
  it("for any condition", async () => {
    const stored = await store(leads);
    await fc.assert(
      fc.asyncProperty(leadCondition, async (condition) => {
        const rows = await aggregate(`SELECT id FROM lead WHERE ${printCondition(condition)}`);
        const expected = stored.filter((record) => evaluate(condition, leadReader(record)) === true);
        expect(rows.map((row) => row.id)).toEqual(expected.map((record) => record.id));
      }),
      propertyRuns(1_500),
    );
  });

  it("for any order and page", async () => {
    const stored = await store(leads);
    const key = fc.constantFrom("name", "amount", "active", "due", "created_date", "company", "company.name");
    const item = fc.tuple(key, fc.boolean());
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(item, { maxLength: 3, selector: ([name]) => name }),
        fc.nat(300),
        fc.nat(300),
        async (items, limit, offset) => {
          const orderBy = items.map(([name, descending]) => `${name} ${descending ? "DESC" : "ASC"}`).join(", ");
          const rows = await aggregate(
            `SELECT id FROM lead ${orderBy && `ORDER BY ${orderBy}`} LIMIT ${limit + 1} OFFSET ${offset}`,
          );
          const read = (record: Document, name: string): Value => {
            const [first = "", part] = name.split(".");
            const value = record[first] ?? null;
            return first === "company" ? (value?.[part ?? "id"] ?? null) : value;
          };
          const sorted = [...stored].sort((a, b) => {
            for (const [name, descending] of items) {
              const sign = order(read(a, name), read(b, name));
              if (sign !== 0) return descending ? -sign : sign;
            }
            return items.at(-1)?.[1] ? order(b.id, a.id) : order(a.id, b.id);
          });
          expect(rows.map((row) => row.id)).toEqual(
            sorted.slice(offset, offset + limit + 1).map((record) => record.id),
          );
        },
      ),
      propertyRuns(150),
    );
  });

  it("for any join, group and DISTINCT", async () => {
    for (const [name, records] of Object.entries(tables)) {
      const collection = db.collection<Document & { _id: string }>(name);
      await collection.deleteMany({});
      await collection.insertMany(structuredClone(records) as (Document & { _id: string })[]);
    }
    await fc.assert(
      fc.asyncProperty(joinQuery, async (text) => {
        const compiled = compile(text);
        const documents = await db.collection(compiled.collection).aggregate(compiled.pipeline).toArray();
        const found = documents.length === 0 && compiled.emptyRow ? [compiled.emptyRow] : documents;
        const rows = found.map((document) => compiled.resultKeys.map((resultKey) => comparable(document[resultKey])));
        expect(rows).toEqual(referenceRows(parseQuery(text, ["q"]), tables));
      }),
      propertyRuns(1_000),
    );
  });
});

/** A whole lookup is compared by its id. */
const comparable = (value: unknown): unknown =>
  typeof value === "object" && value !== null && "id" in value ? value.id : (value ?? null);
