import { randomBytes } from "node:crypto";
import type { Db, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accessesOf, explainQuery } from "#shared/data/query/execute/explain";
import { databaseClient } from "../../../platform.ts";
import { compile } from "./catalog-fixture.ts";

let client: MongoClient;
let db: Db;

beforeAll(async () => {
  client = await databaseClient();
  db = client.db(`explain_${randomBytes(6).toString("hex")}`);
  for (const name of ["lead", "company"]) {
    const records = Array.from({ length: 200 }, (_, index) => ({
      created_date: new Date(index * 86_400_000),
      company: { id: `c${index % 20}` },
      name: `n${index}`,
    }));
    await db.collection(name).insertMany(records);
    await db
      .collection(name)
      .createIndexes([{ key: { created_date: 1, _id: 1 } }, { key: { "company.id": 1, _id: 1 } }]);
  }
});

afterAll(async () => {
  await db.dropDatabase();
  await client.close();
});

const explain = (text: string) => {
  const query = compile(text);
  return explainQuery(query, query.pipeline, db.collection(query.collection));
};

describe("EXPLAIN", () => {
  it("shows the pipeline with its dates as dates", async () => {
    const { collection, pipeline } = await explain(
      "SELECT name FROM lead WHERE created_date >= '2026-01-01T00:00:00Z'",
    );
    expect(collection).toBe("lead");
    expect(pipeline[0]).toEqual({ $match: { created_date: { $gte: { $date: "2026-01-01T00:00:00Z" } } } });
  });

  it.each([
    ["SELECT name FROM lead WHERE id = 'x'", ["id"]],
    ["SELECT name FROM lead WHERE created_date = '1970-02-01'", ["created_date"]],
    ["SELECT name FROM lead WHERE company = 'c1' AND name = 'a'", ["company.id"]],
    ["SELECT COUNT(*) FROM lead WHERE company = 'c1' OR id = 'a'", ["company.id", "id"]],
    ["SELECT name FROM lead ORDER BY created_date DESC LIMIT 5", ["created_date"]],
    ["SELECT name FROM lead LIMIT 5", ["id"]],
    ["SELECT lead.name FROM lead JOIN company ON company.id = lead.company WHERE company.id = 'c1'", ["id"]],
  ])("of %s names the indexes that the database uses", async (text, indexes) => {
    expect(await explain(text)).toMatchObject({ indexes, warnings: [] });
  });

  it.each([
    "SELECT COUNT(*) FROM lead WHERE company = 'c1' OR name = 'a'",
    "SELECT name FROM lead WHERE name LIKE 'a%'",
    "SELECT name FROM lead WHERE name = 'n1' ORDER BY created_date LIMIT 1",
    "SELECT status, COUNT(*) FROM lead GROUP BY status",
    "SELECT * FROM lead",
  ])("of %s warns that every record may be read", async (text) => {
    const { warnings } = await explain(text);
    expect(warnings).toEqual([expect.stringMatching(/^No condition (or order )?can use an index: /)]);
  });

  it("warns of a join by a field without an index", async () => {
    const text = "SELECT lead.name FROM lead JOIN contact ON contact.name = lead.name WHERE lead.id = 'x'";
    expect((await explain(text)).warnings).toEqual(["contact is joined by name, which has no index."]);
  });

  it("sends nothing to the database for a query that reads nothing", async () => {
    expect(await explain("SELECT name FROM lead LIMIT 0")).toMatchObject({ indexes: [], warnings: [] });
  });
});

describe("the plan in a server's reply to explain", () => {
  const scan = { stage: "COLLSCAN", direction: "forward" };
  const byDate = { stage: "FETCH", inputStage: { stage: "IXSCAN", keyPattern: { created_date: 1, _id: 1 } } };
  const date = { kind: "index", path: "created_date" };

  it.each([
    ["one plan", { queryPlanner: { winningPlan: byDate, rejectedPlans: [scan] } }, [date]],
    [
      "stages",
      { stages: [{ $cursor: { queryPlanner: { winningPlan: byDate } } }, { $lookup: { winningPlan: scan } }] },
      [date],
    ],
    [
      "the slot-based engine",
      { queryPlanner: { winningPlan: { queryPlan: { stage: "GROUP", inputStage: scan }, slotBasedPlan: {} } } },
      [{ kind: "scan" }],
    ],
    ["a lookup by an index", { winningPlan: { stage: "EQ_LOOKUP", keyPattern: { x: 1 }, inputStage: byDate } }, [date]],
    ["shards", { shards: { a: { winningPlan: byDate }, b: { winningPlan: scan } } }, [date, { kind: "scan" }]],
    [
      "one id",
      { winningPlan: { stage: "EXPRESS_IXSCAN", keyPattern: "{ _id: 1 }" } },
      [{ kind: "index", path: "_id" }],
    ],
    ["an old server's one id", { winningPlan: { stage: "IDHACK" } }, [{ kind: "index", path: "_id" }]],
    ["no collection", { queryPlanner: { winningPlan: { stage: "EOF" } } }, []],
  ])("is read from %s", (_, explained, accesses) => expect(accessesOf(explained)).toEqual(accesses));
});
