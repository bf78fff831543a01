import type { MongoClient } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { RenamingTenant } from "#shared/data/records/renames/propagate";
import { confirmNames, finishRenames } from "#shared/data/records/renames/renames";
import { storedSchema } from "#shared/data/schema/object-schema";
import { standardSchemas } from "#shared/data/schema/schema";
import { tenantDatabase } from "#shared/tenant/database";
import type { OrganizationState } from "#shared/tenant/tenant";
import { databaseClient } from "../../../platform.ts";
import { firstCopy } from "../../../setup/first-copy.ts";

const LEADS = 1_200;
const unlimited = { milliseconds: 60_000, records: 100_000 };

let client: MongoClient;
let tenant: RenamingTenant;
let tenants = 0;

beforeAll(async () => {
  client = await databaseClient();
});

afterAll(() => client.close());

/** A company, leads that have its old name, and the pending rename of a request that died after its commit. */
beforeEach(async () => {
  tenants += 1;
  const id = `renames_${process.pid}_${tenants}`;
  const db = client.db(id);
  const state = { _id: id, status: "active" as const, schema_version: 1, access_version: 1, indexed: {} };
  await db.collection<{ _id: string }>("schemas").insertMany(standardSchemas().map(storedSchema));
  await db.collection<{ _id: string }>("organization_state").insertOne(state);
  await db.collection<{ _id: string }>("company").insertOne({ _id: "c", ...{ id: "c", name: "New" } });
  const leads = Array.from({ length: LEADS }, (_, index) => ({
    _id: String(index),
    company: { id: "c", schema: "company", name: "Old" },
  }));
  await db.collection<{ _id: string }>("lead").insertMany(leads);
  tenant = { ...tenantDatabase(client, db, firstCopy(id)), state };
  await rename("New", "1");
});

const pending = () => tenant.collection<{ _id: string }>("pending_rename");
const stateOf = () => tenant.collection<OrganizationState>("organization_state").findOne({});
const leads = () => tenant.collection("lead");

const rename = async (name: string, version: string): Promise<void> => {
  const fields = { object: "company", record_id: "c", name, version, renamed_at: new Date() };
  await tenant.collection<{ _id: string }>("company").updateOne({ _id: "c" }, { $set: { name } });
  await pending().updateOne({ _id: "company/c" }, { $set: fields }, { upsert: true });
};

/** The tenant, with something that happens before its transaction of that number, from 1. */
const interrupted = (number: number, happens: () => Promise<void>): RenamingTenant => {
  let transactions = 0;
  return {
    ...tenant,
    transaction: async (work) => {
      transactions += 1;
      if (transactions === number) await happens();
      return tenant.transaction(work);
    },
  };
};

describe("pending renames", () => {
  it("are finished within limits, and the rest by the next run", async () => {
    expect(await finishRenames(tenant, { ...unlimited, records: 700 })).toBe(false);
    expect(await leads().countDocuments({ "company.name": "New" })).toBe(700);
    expect(await pending().countDocuments()).toBe(1);
    expect(await finishRenames(tenant, { ...unlimited, milliseconds: 0 })).toBe(false);
    expect(await finishRenames(tenant, unlimited)).toBe(true);
    expect(await leads().distinct("company.name")).toEqual(["New"]);
    expect(await pending().countDocuments()).toBe(0);
    expect(await finishRenames(tenant, unlimited)).toBe(true);
  });

  it("are continued after the process died in the middle", async () => {
    const killed = interrupted(2, () => Promise.reject(new Error("killed")));
    await expect(finishRenames(killed, unlimited)).rejects.toThrow("killed");
    expect(await leads().countDocuments({ "company.name": "New" })).toBe(500);
    expect(await finishRenames(tenant, unlimited)).toBe(true);
    expect(await leads().distinct("company.name")).toEqual(["New"]);
  });

  it("of an older name never replace a newer one that was propagated meanwhile", async () => {
    const overtaken = interrupted(2, async () => {
      await rename("Newest", "2");
      await finishRenames(tenant, unlimited);
    });
    expect(await finishRenames(overtaken, unlimited)).toBe(true);
    expect(await leads().distinct("company.name")).toEqual(["Newest"]);
  });

  it("are finished beside one that a newer name has superseded", async () => {
    const companies = tenant.collection<{ _id: string }>("company");
    await companies.insertOne({ _id: "d", ...{ id: "d", name: "New D" } });
    const last = { _id: { $gte: "9" } };
    await leads().updateMany(last as object, { $set: { company: { id: "d", schema: "company", name: "Old D" } } });
    await pending().insertOne({
      _id: "company/d",
      ...{ object: "company", record_id: "d", name: "New D", version: "1", renamed_at: new Date() },
    });
    const overtaken = interrupted(1, () => rename("Newest", "2"));
    expect(await finishRenames(overtaken, unlimited)).toBe(true);
    expect((await leads().distinct("company.name")).sort()).toEqual(["New D", "Newest"]);
  });

  it("leave records that refer to another record by now", async () => {
    const moved = interrupted(1, async () => {
      await leads().updateMany({}, { $set: { company: { id: "d", schema: "company", name: "Other" } } });
    });
    await finishRenames(moved, unlimited);
    expect(await leads().distinct("company.name")).toEqual(["Other"]);
  });

  it("count as writes of the referring records, for answers that are cached", async () => {
    await finishRenames(tenant, unlimited);
    expect((await stateOf())?.collection_versions?.lead).toBe(3);
  });
});

describe("a reference whose target was renamed while it was written", () => {
  it("is confirmed after the commit and gets the name", async () => {
    await pending().deleteMany({});
    await confirmNames(tenant, [{ id: "c", schema: "company", name: "New" }]);
    expect(await leads().distinct("company.name")).toEqual(["Old"]);
    await confirmNames(tenant, [{ id: "c", schema: "company", name: "Old" }]);
    expect(await leads().distinct("company.name")).toEqual(["New"]);
    expect(await pending().countDocuments()).toBe(0);
  });
});
