import fc from "fast-check";
import type { MongoClient } from "mongodb";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type RecordHooks, recordWriter, type WriteScope } from "#shared/data/records/writer/writer";
import type { Tenant } from "#shared/tenant/tenant";
import { databaseClient } from "../../../platform.ts";
import { propertyRuns } from "../../../setup/property-runs.ts";
import { hookedTenant } from "./hooked-tenant.ts";

let client: MongoClient;
let tenant: Tenant;
beforeAll(async () => {
  client = await databaseClient();
  tenant = await hookedTenant(client, `buffered_${process.pid}`);
});
afterAll(() => client.close());

type Step =
  | { readonly kind: "create"; readonly name: string }
  | { readonly kind: "update"; readonly which: number; readonly name: string; readonly amount: number | null }
  | { readonly kind: "delete"; readonly which: number };

const name = fc.constantFrom("a", "b", "c");
const which = fc.nat(5);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("create" as const), name }),
  fc.record({ kind: fc.constant("update" as const), which, name, amount: fc.option(fc.nat(9)) }),
  fc.record({ kind: fc.constant("delete" as const), which }),
);

const none: RecordHooks = { outer: null, of: async () => null };

/** Carries out the steps with a writer. Those that name no record are refused and change nothing. */
const play = async (writer: ReturnType<typeof recordWriter>, steps: readonly Step[], ids: string[]): Promise<void> => {
  for (const one of steps) {
    if (one.kind === "create") {
      ids.push((await writer.create("lead", { name: one.name })).records[0]?.id ?? "");
      continue;
    }
    const id = ids[one.which % Math.max(ids.length, 1)] ?? "none";
    const done =
      one.kind === "delete"
        ? writer.removeOne("lead", id)
        : writer.updateOne("lead", id, { name: one.name, amount: one.amount });
    await done.catch((error: { code?: string }) => expect(error.code).toBe("record_not_found"));
  }
};

const stored = async (ids: readonly string[]): Promise<unknown[]> => {
  const found = await tenant.collection<{ _id: string; name: string }>("lead").find({}).toArray();
  const byId = new Map(found.map((one) => [one._id, [one.name, (one as { amount?: number }).amount ?? null]]));
  expect(byId.size).toBe(ids.filter((id) => byId.has(id)).length);
  return ids.map((id) => byId.get(id) ?? null);
};

const direct = async (first: readonly Step[], then: readonly Step[]): Promise<unknown[]> => {
  await tenant.collection("lead").deleteMany({});
  const ids: string[] = [];
  await play(recordWriter(tenant, none), [...first, ...then], ids);
  return stored(ids);
};

const buffered = async (first: readonly Step[], then: readonly Step[]): Promise<unknown[]> => {
  await tenant.collection("lead").deleteMany({});
  const ids: string[] = [];
  await play(recordWriter(tenant, none), first, ids);
  const before = await stored(ids);
  const run = async (_: unknown, scope: WriteScope): Promise<void> => {
    await play(recordWriter(tenant, { ...none, outer: scope }), then, ids);
    // Nothing is written before the commit.
    expect((await stored(ids)).slice(0, before.length)).toEqual(before);
  };
  const hooks: RecordHooks = { outer: null, of: async () => ({ before: [], after: [run], queued: null }) };
  await recordWriter(tenant, hooks).create("company", { name: "Acme" });
  return stored(ids);
};

it("what a sync trigger writes gives the same records as the same writes one after another", async () => {
  const steps = fc.array(step, { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(steps, steps, async (first, then) => {
      expect(await buffered(first, then)).toEqual(await direct(first, then));
    }),
    propertyRuns(40),
  );
  expect(await tenant.collection("_buffered_write").countDocuments({})).toBe(0);
});
