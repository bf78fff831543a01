import { randomBytes } from "node:crypto";
import { type Collection, type Document, type MongoClient, MongoServerError } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readRows } from "#shared/data/query/execute/read-rows";
import { databaseClient } from "../../../platform.ts";
import { compile } from "./catalog-fixture.ts";
import { readerOf } from "./reader.ts";

let client: MongoClient;
let leads: Collection<Document>;

beforeAll(async () => {
  client = await databaseClient();
  leads = client.db(`query_${randomBytes(6).toString("hex")}`).collection("lead");
  const documents = Array.from({ length: 10_500 }, (_, index) => ({
    _id: `l${index}`,
    id: `l${index}`,
    name: "x".repeat(600),
  }));
  await leads.insertMany(documents as unknown as Document[]);
});

afterAll(async () => {
  await leads.drop();
  await client.close();
});

const run = (text: string) => readRows(readerOf(client, leads.dbName), compile(text), ["query", "q"]);

describe("running a pipeline", () => {
  it("gives every row up to its LIMIT, in any number of batches", async () => {
    const { rows, truncated } = await run("SELECT id FROM lead LIMIT 10500");
    expect([new Set(rows.map((row) => row.id)).size, truncated]).toEqual([10_500, false]);
  });

  it("truncates at 10,000 rows without LIMIT, and at 5 MB with one", async () => {
    const whole = await run("SELECT id FROM lead");
    expect([whole.rows.length, whole.truncated]).toEqual([10_000, true]);
    const large = await run("SELECT id, name FROM lead LIMIT 10500");
    expect(large.truncated).toBe(true);
    expect(Buffer.byteLength(JSON.stringify(large.rows))).toBeLessThanOrEqual(5_000_000);
    expect(large.rows.length).toBeGreaterThan(7_000);
  });

  it("sends nothing for LIMIT 0, and gives an aggregate without records its row", async () => {
    expect(await run("SELECT id FROM lead LIMIT 0")).toMatchObject({ rows: [], truncated: false });
    expect(await run("SELECT COUNT(*) FROM lead WHERE id = 'none'")).toMatchObject({
      rows: [{ "COUNT(*)": 0 }],
      truncated: false,
    });
    expect(await run("SELECT COUNT(*) FROM lead WHERE id = 'none' LIMIT 0")).toMatchObject({
      rows: [],
      truncated: false,
    });
  });

  it("refuses a query that takes too long with advice", async () => {
    const expired = async () => {
      throw new MongoServerError({ code: 50, message: "operation exceeded time limit" });
    };
    const { collection } = readerOf(client, leads.dbName);
    const slow = { collection, read: () => ({ next: expired, close: async () => undefined }) };
    await expect(readRows(slow, compile("SELECT id FROM lead"), ["query", "q"])).rejects.toMatchObject({
      code: "validation_failed",
      issues: [{ loc: ["query", "q"], type: "query_timeout" }],
    });
  });
});
