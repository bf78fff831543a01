import { type MongoClient, MongoServerError } from "mongodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { records } from "#shared/data/records/records";
import type { Tenant } from "#shared/tenant/tenant";
import { tenantWithLeads } from "../../../bench/query-tenant.ts";
import { databaseClient } from "../../../platform.ts";

let client: MongoClient;
let tenant: Tenant;

beforeAll(async () => {
  client = await databaseClient();
  tenant = await tenantWithLeads(client, 100);
});

afterAll(async () => {
  await client.db(tenant.organization_id).dropDatabase();
  await client.close();
});

/** The tenant, with a database whose first reads of leads exceed their time limit; and the limits of all reads. */
const slowTenant = (slowReads: number): { slow: Tenant; limits: unknown[] } => {
  const limits: unknown[] = [];
  const expired = { next: async () => Promise.reject(new MongoServerError({ code: 50, message: "time limit" })) };
  const collection: Tenant["collection"] = (name) => {
    const real = tenant.collection(name as "lead");
    if (name !== "lead") return real as never;
    const find = (filter: object, options: { maxTimeMS: number }) => {
      limits.push(options.maxTimeMS);
      const cursor = real.find(filter, options);
      if (limits.length > slowReads) return cursor;
      return Object.assign(cursor, { hasNext: expired.next });
    };
    return new Proxy(real, { get: (target, key) => (key === "find" ? find : Reflect.get(target, key)) }) as never;
  };
  return { slow: { ...tenant, collection }, limits };
};

const slots = () => client.db(tenant.organization_id).collection("slow_query").findOne();

it("a list of records that takes longer than a second runs again in a slot for slow reads, and frees it", async () => {
  const { slow, limits } = slowTenant(1);
  const { records: found, total } = await records(slow).list("lead", { limit: 10, offset: 0, count: true });
  expect([found.length, total, limits]).toEqual([10, { records: 100, isLeast: false }, [1_000, 20_000]]);
  expect((await slots())?.running).toEqual([]);
});

it("a list of records that takes longer than 20 seconds is refused and frees its slot", async () => {
  const { slow } = slowTenant(2);
  await expect(
    records(slow).list("lead", { limit: 10, offset: 0, count: true, order_by: "amount" }),
  ).rejects.toMatchObject({
    code: "validation_failed",
    issues: [{ loc: ["query", "order_by"], type: "query_timeout" }],
  });
  expect((await slots())?.running).toEqual([]);
});

it("a slow list of records is refused while all slots for slow reads are taken", async () => {
  const until = new Date(Date.now() + 600_000);
  const running = Array.from({ length: 8 }, (_, index) => ({ id: `other-${index}`, until }));
  const taken = client.db(tenant.organization_id).collection<{ _id: string }>("slow_query");
  await taken.replaceOne({ _id: "slow_queries" }, { running }, { upsert: true });
  const { slow } = slowTenant(1);
  await expect(records(slow).list("lead", { limit: 10, offset: 0, count: true })).rejects.toMatchObject({
    code: "too_many_queries",
  });
  await taken.deleteOne({ _id: "slow_queries" });
});
