import type { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databaseClient, http, registerOrganization, type User } from "../../platform.ts";

let owner: User;
let mongo: MongoClient;

beforeAll(async () => {
  mongo = await databaseClient();
  owner = await registerOrganization();
  const leads = Array.from({ length: 300 }, (_, index) => ({ name: `Lead ${index}`, status: "New" }));
  await http.post("/v1/object/lead", { token: owner.token, body: leads, expect: 201 });
});

afterAll(() => mongo.close());

/** As if so many slow queries were running, each for so many more milliseconds. */
const underWay = async (count: number, milliseconds: number): Promise<void> => {
  const until = new Date(Date.now() + milliseconds);
  const running = Array.from({ length: count }, (_, index) => ({ id: `other-${index}`, until }));
  await mongo
    .db(owner.organizationId)
    .collection<{ _id: string }>("slow_query")
    .replaceOne({ _id: "slow_queries" }, { running }, { upsert: true });
};

const all = { $lookup: { from: "lead", pipeline: [], as: "other" } };
/** 27 million rows, which takes longer than the free time on any machine. */
const slowPipeline = {
  collection: "lead",
  pipeline: [all, { $unwind: "$other" }, all, { $unwind: "$other" }, { $count: "n" }],
};
/** A few seconds, or less than the free time on a fast machine. */
const mediumPipeline = {
  ...slowPipeline,
  pipeline: [{ $limit: 100 }, ...slowPipeline.pipeline.slice(0, 2), { $limit: 200 }, ...slowPipeline.pipeline.slice(2)],
};
const slowQuery = "SELECT COUNT(*) FROM lead a JOIN lead b ON a.status = b.status JOIN lead c ON b.status = c.status";

describe("slow queries of one organization", () => {
  it("are refused with 429 while all slots are taken, and quick ones are not", async () => {
    await underWay(8, 600_000);
    const refused = await http.post("/v1/query/docdb", { token: owner.token, body: slowPipeline, expect: 429 });
    expect(refused.body).toMatchObject({ code: "too_many_queries", detail: expect.stringMatching(/^8 queries/) });
    expect(refused.headers.get("retry-after")).toBe("1");
    const quick = { collection: "lead", pipeline: [{ $count: "n" }] };
    // On a busy machine even this may take longer than the free time once.
    const answer = async () => (await http.post("/v1/query/docdb", { token: owner.token, body: quick })).body;
    await expect.poll(answer).toEqual([{ n: 300 }]);
  });

  it("of the query language are counted too", async () => {
    await underWay(8, 600_000);
    const { body } = await http.post("/v1/query", { token: owner.token, body: { query: slowQuery }, expect: 429 });
    expect(body.code).toBe("too_many_queries");
  });

  it("take the places of those that left without giving theirs back, and give their own back", async () => {
    await underWay(8, -1);
    await http.post("/v1/query/docdb", { token: owner.token, body: mediumPipeline });
    const left = await mongo.db(owner.organizationId).collection("slow_query").findOne();
    // A machine that finishes within the free time needs no slot.
    const taken = left?.running.filter(({ id }: { id: string }) => !id.startsWith("other-"));
    expect(taken).toEqual([]);
  });
});
