import type { MongoClient } from "mongodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ObjectHooks, RecordHooks, WriteScope } from "#shared/data/records/writer/writer";
import { recordWriter } from "#shared/data/records/writer/writer";
import type { Tenant } from "#shared/tenant/tenant";
import { databaseClient } from "../../../platform.ts";
import { hookedTenant } from "./hooked-tenant.ts";

let client: MongoClient;
let tenant: Tenant;
let tenants = 0;

beforeAll(async () => {
  client = await databaseClient();
});

afterAll(() => client.close());

beforeEach(async () => {
  tenants += 1;
  tenant = await hookedTenant(client, `hooks_${process.pid}_${tenants}`);
});

type Key = `${string}.${"create" | "update" | "delete"}`;
type Installed = Partial<Record<Key, Partial<ObjectHooks>>>;

/** Hooks by object and operation. */
const hooksOf = (installed: Installed, outer: WriteScope | null = null): RecordHooks => ({
  outer,
  of: async ({ object }, operation) => {
    const own = installed[`${object}.${operation}`];
    return own === undefined ? null : { before: [], after: [], queued: null, ...own };
  },
});

/** A before-hook that changes each record. */
const changing = (change: (record: Record<string, unknown>) => Record<string, unknown>): Partial<ObjectHooks> => ({
  before: [
    {
      name: "t.py",
      run: async ({ new_map }) =>
        Object.fromEntries(Object.entries(new_map).map(([id, record]) => [id, { ...record, ...change(record) }])),
    },
  ],
});

const writer = (installed: Installed = {}, outer: WriteScope | null = null) =>
  recordWriter(tenant, hooksOf(installed, outer));

const stored = (object: string) => tenant.collection(object).find({}).sort({ _id: 1 }).toArray();
const left = () => tenant.collection("_buffered_write").countDocuments({});
const idOf = ({ records }: { records: { id: string }[] }): string => records[0]?.id ?? "";
const issuesOf = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => undefined,
    (thrown) => thrown,
  );
  return (error as { issues?: { loc: unknown; type: string; msg: string }[] })?.issues?.map(({ loc, type }) => [
    loc,
    type,
  ]);
};

describe("hooks before a create", () => {
  it("set fields, also required ones, which are checked like those of the request", async () => {
    const hooks = { "lead.create": changing(({ amount }) => ({ name: `Lead of ${amount}`, status: "New" })) } as const;
    const { records } = await writer(hooks).create("lead", [{ amount: 5 }, { amount: 6 }]);
    expect(records.map(({ name, status }) => [name, status])).toEqual([
      ["Lead of 5", "New"],
      ["Lead of 6", "New"],
    ]);
    expect((await stored("lead")).map(({ name }) => name)).toEqual(["Lead of 5", "Lead of 6"]);
  });

  it("are refused with the path of record and field for values that do not fit, and nothing is written", async () => {
    const hooks = {
      "lead.create": changing(({ name }) => (name === "b" ? { amount: "many", created_date: "x", no_such: 1 } : {})),
    } as const;
    const issues = await issuesOf(writer(hooks).create("lead", [{ name: "a" }, { name: "b" }]));
    expect(issues).toEqual([
      [["body", 1, "created_date"], "read_only"],
      [["body", 1, "amount"], "number_type"],
      [["body", 1, "no_such"], "extra_forbidden"],
    ]);
    expect(await stored("lead")).toEqual([]);
  });

  it("do not replace a required value that nobody sets", async () => {
    const hooks = { "lead.create": changing(() => ({ amount: 1 })) } as const;
    expect(await issuesOf(writer(hooks).create("lead", { amount: 5 }))).toEqual([[["body", "name"], "missing"]]);
  });
});

describe("hooks before an update", () => {
  it("see old and new records, and change what is written", async () => {
    const id = idOf(await writer().create("lead", { name: "a", amount: 1 }));
    const seen: unknown[] = [];
    const hooks: Installed = {
      "lead.update": {
        before: [
          {
            name: "t.py",
            run: async ({ old_map, new_map }) => {
              seen.push([old_map[id]?.amount, new_map[id]?.amount, new_map[id]?.name]);
              return { [id]: { ...new_map[id], name: "b", amount: null } };
            },
          },
        ],
      },
    };
    const record = await writer(hooks).updateOne("lead", id, { amount: 2 });
    expect(seen).toEqual([[1, 2, "a"]]);
    expect([record.name, record.amount]).toEqual(["b", null]);
    expect((await stored("lead"))[0]).not.toHaveProperty("amount");
  });

  it("run again when another request changes the record meanwhile", async () => {
    const id = idOf(await writer().create("lead", { name: "a", amount: 1 }));
    const amounts: unknown[] = [];
    const hooks: Installed = {
      "lead.update": {
        before: [
          {
            name: "t.py",
            run: async ({ old_map, new_map }) => {
              amounts.push(old_map[id]?.amount);
              if (amounts.length === 1) await writer().updateOne("lead", id, { amount: 10 });
              return { [id]: { ...new_map[id], amount: Number(old_map[id]?.amount) + 1 } };
            },
          },
        ],
      },
    };
    const record = await writer(hooks).updateOne("lead", id, { name: "b" });
    expect([amounts, record.amount]).toEqual([[1, 10], 11]);
  });

  it("give 409 when the record changes each time", async () => {
    const id = idOf(await writer().create("lead", { name: "a", amount: 1 }));
    let runs = 0;
    const hooks: Installed = {
      "lead.update": {
        before: [
          {
            name: "t.py",
            run: async ({ new_map }) => {
              runs += 1;
              await writer().updateOne("lead", id, { amount: runs * 100 });
              return new_map;
            },
          },
        ],
      },
    };
    await expect(writer(hooks).updateOne("lead", id, { name: "b" })).rejects.toMatchObject({ code: "conflict" });
    expect([runs, (await stored("lead"))[0]?.name]).toEqual([5, "a"]);
  });
});

describe("hooks after a write", () => {
  /** Writes as a sync trigger does. */
  const writing = (
    work: (write: ReturnType<typeof writer>, ids: readonly string[]) => Promise<unknown>,
    installed: Installed = {},
  ): Partial<ObjectHooks> => ({
    after: [
      async ({ new_map, old_map }, scope) => {
        await work(writer(installed, scope), Object.keys({ ...old_map, ...new_map }));
      },
    ],
  });

  it("write in the same transaction, also references to new records and changes of them", async () => {
    const hooks: Installed = {
      "company.create": writing(async (write, [id = ""]) => {
        await write.create("lead", { name: "first", company: id });
        const { records } = await write.create("lead", [{ name: "second", company: id }, { name: "third" }]);
        await write.updateOne("lead", records[0]?.id ?? "", { name: "changed" });
        await write.removeOne("lead", records[1]?.id ?? "");
        await write.updateOne("company", id, { phone: "+4930123456" });
        expect(await stored("lead")).toEqual([]);
        expect(await stored("company")).toEqual([]);
      }),
    };
    const { records } = await writer(hooks).create("company", { name: "Acme" });
    expect(records[0]?.phone).toBe("+4930123456");
    const leads = await stored("lead");
    expect(leads.map(({ name, company }) => [name, company.name, company.id])).toEqual([
      ["first", "Acme", records[0]?.id],
      ["changed", "Acme", records[0]?.id],
    ]);
    const trail = await stored("audit_entry");
    expect(trail.map(({ action, object }) => `${action} ${object}`).sort()).toEqual([
      "created company",
      "created lead",
      "created lead",
      "created lead",
      "deleted lead",
      "updated company",
      "updated lead",
    ]);
    expect(await left()).toBe(0);
  });

  it("leave nothing behind when they fail", async () => {
    const hooks: Installed = {
      "company.create": writing(async (write, [id = ""]) => {
        await write.create("lead", { name: "first", company: id });
        throw new Error("failed");
      }),
    };
    await expect(writer(hooks).create("company", { name: "Acme" })).rejects.toThrow("failed");
    expect(await stored("lead")).toEqual([]);
    expect(await stored("company")).toEqual([]);
    expect(await left()).toBe(0);
  });

  it("drop what a failed write within them has written", async () => {
    const inner: Installed = {
      "lead.create": writing(async (write) => {
        await write.create("contact", { name: "of the lead" });
        throw new Error("failed");
      }),
    };
    const hooks: Installed = {
      "company.create": writing(async (write) => {
        await write.create("contact", { name: "of the company" });
        await expect(write.create("lead", { name: "x" })).rejects.toThrow("failed");
      }, inner),
    };
    await writer(hooks).create("company", { name: "Acme" });
    expect((await stored("contact")).map(({ name }) => name)).toEqual(["of the company"]);
    expect(await stored("lead")).toEqual([]);
    expect(await left()).toBe(0);
  });

  it("refuse a delete, and delete other records with it", async () => {
    const { records } = await writer().create("lead", [{ name: "a" }, { name: "b" }]);
    const [a = "", b = ""] = records.map(({ id }) => id);
    const hooks: Installed = { "lead.delete": writing((write, [id]) => write.removeOne("lead", id === a ? b : a)) };
    await writer(hooks).removeOne("lead", a);
    expect(await stored("lead")).toEqual([]);
  });

  it("may write 500 records in one transaction, and no more", async () => {
    const many = (count: number) =>
      writing(async (write) => {
        for (let from = 0; from < count; from += 50) {
          const names = Array.from({ length: Math.min(50, count - from) }, (_, index) => ({ name: `${from + index}` }));
          await write.create("lead", names);
        }
      });
    await writer({ "company.create": many(500) }).create("company", { name: "Acme" });
    expect(await tenant.collection("lead").countDocuments({})).toBe(500);
    expect(await issuesOf(writer({ "company.create": many(501) }).create("company", { name: "Else" }))).toEqual([
      [["body"], "trigger_limit"],
    ]);
    expect(await tenant.collection("lead").countDocuments({})).toBe(500);
    expect(await left()).toBe(0);
  });

  it("are given the ids and the automatic values of new records", async () => {
    const seen: unknown[] = [];
    const hooks: Installed = {
      "invoice.create": {
        after: [
          async ({ new_map }) =>
            void seen.push(...Object.values(new_map).map(({ id, created_date }) => [id, created_date])),
        ],
      },
    };
    const { records } = await writer(hooks).create("invoice", [{ name: "a" }, { name: "b" }]);
    expect(seen).toEqual(records.map(({ id, created_date }) => [id, (created_date as Date).toISOString()]));
  });
});
