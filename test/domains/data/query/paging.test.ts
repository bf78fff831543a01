import { randomBytes } from "node:crypto";
import fc from "fast-check";
import type { Collection, Document, MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compileQuery, countingOf } from "#shared/data/query/compile/compile";
import { type Position, pageOf } from "#shared/data/query/compile/page";
import { cursorOf, positionOf } from "#shared/data/query/execute/cursor";
import { countRows, readRows } from "#shared/data/query/execute/read-rows";
import type { Row } from "#shared/data/query/execute/result-rows";
import { parseQuery } from "#shared/data/query/parse/parse";
import type { Tenant } from "#shared/tenant/tenant";
import { databaseClient } from "../../../platform.ts";
import { propertyRuns } from "../../../setup/property-runs.ts";
import { scopeOf } from "./catalog-fixture.ts";
import { readerOf } from "./reader.ts";

const loc = ["query", "q"];
const tenant = { organization_id: "org_1", caller: { id: "user-1" } } as unknown as Tenant;

let client: MongoClient;
let name: string;
const stored = (object: string): Collection<Document> => client.db(name).collection(object);

/** Values with many ties, and many that are missing or null. */
const sparse = <T>(values: readonly T[], index: number): T | null | undefined =>
  ([undefined, null, ...values] as const)[(index * 7 + (index >> 2)) % (values.length + 2)];

const clean = (document: Document): Document =>
  Object.fromEntries(Object.entries(document).filter(([, value]) => value !== undefined));

const companyOf = (index: number): object | undefined =>
  index % 4 === 0 ? undefined : { id: `c${index % 5}`, schema: "company", name: `Company ${index % 5}` };

beforeAll(async () => {
  client = await databaseClient();
  name = `paging_${randomBytes(6).toString("hex")}`;
  const leads = Array.from({ length: 43 }, (_, index) =>
    clean({
      _id: `l${(index * 17) % 43}`,
      id: `l${(index * 17) % 43}`,
      name: sparse(["Ada", "ada", "Zoë", "😀", "\uffff"], index),
      amount: sparse([-1, 0, 2.5, 10], index + 1),
      active: sparse([true, false], index + 2),
      due: sparse(["2026-01-01", "2026-02-01"], index + 3),
      created_date: new Date(1_767_225_600_000 + (index % 6) * 1_000),
      company: companyOf(index),
    }),
  );
  const companies = [0, 1, 2].map((index) =>
    clean({ _id: `c${index}`, id: `c${index}`, industry: sparse(["A"], index) }),
  );
  const contacts = Array.from({ length: 11 }, (_, index) =>
    clean({ _id: `p${index}`, id: `p${index}`, title: sparse(["CEO", "CTO"], index), company: companyOf(index) }),
  );
  await stored("lead").insertMany(leads);
  await stored("company").insertMany(companies);
  await stored("contact").insertMany(contacts);
});

afterAll(async () => {
  await client.db(name).dropDatabase();
  await client.close();
});

const run = async (text: string, position: Position | null = null) => {
  const page = pageOf(compileQuery(parseQuery(text, loc), scopeOf()), position);
  if (page === null) throw new Error(`${text} cannot go on behind ${JSON.stringify(position)}.`);
  const result = await readRows(readerOf(client, name), page.query, loc);
  return { ...result, page, keys: result.last === null ? null : page.keysOf(result.last) };
};

interface Pages {
  readonly rows: Row[];
  readonly keyed: boolean;
}

/** All rows, page by page, with each cursor encoded as text. */
const allPages = async (text: string, meanwhile = async (_: number): Promise<unknown> => undefined): Promise<Pages> => {
  const rows: Row[] = [];
  let keyed = true;
  let position: Position | null = null;
  for (let turn = 0; ; turn += 1) {
    const found: Awaited<ReturnType<typeof run>> = await run(text, position);
    rows.push(...found.rows);
    if (!found.truncated) return { rows, keyed };
    expect(found.rows.length).toBeGreaterThan(0);
    keyed &&= found.keys !== null;
    const seen = found.page.offset + found.rows.length;
    const cursor = cursorOf(tenant, text, { seen, keys: found.keys, at: new Date(1_767_225_600_000) });
    position = positionOf(tenant, text, cursor, loc);
    await meanwhile(turn);
  }
};

const total = (text: string): Promise<number> => {
  const counting = countingOf(compileQuery(parseQuery(text, loc), scopeOf()));
  return countRows(readerOf(client, name), counting, loc);
};

const ways = fc.constantFrom("", " DESC", " ASC");
const orderBy = (columns: readonly string[]) =>
  fc
    .uniqueArray(fc.tuple(fc.constantFrom(...columns), ways), { selector: ([column]) => column, maxLength: 3 })
    .map((items) => (items.length === 0 ? "" : ` ORDER BY ${items.map((item) => item.join("")).join(", ")}`));

const lead = ["name", "amount", "active", "due", "created_date", "company", "company.name", "id"].map(
  (column) => `lead.${column}`,
);

const keyedQueries = fc.oneof(
  fc.tuple(
    fc.constantFrom(
      "SELECT id FROM lead",
      "SELECT name, amount AS n FROM lead",
      "SELECT * FROM lead WHERE amount IS NOT NULL",
      "SELECT lead.company, lead.id FROM lead LEFT JOIN company ON company.id = lead.company",
    ),
    orderBy(lead),
  ),
  fc.tuple(
    fc.constantFrom(
      "SELECT lead.id, company.id FROM lead JOIN company ON company.id = lead.company WHERE company.industry = 'A'",
      "SELECT lead.id, company.id FROM lead JOIN company ON company.id = lead.company WHERE company.id = 'c1'",
    ),
    orderBy([...lead, "company.industry"]),
  ),
  fc.tuple(
    fc.constantFrom(
      "SELECT lead.id, contact.id FROM lead JOIN contact ON contact.company = lead.company",
      "SELECT lead.id, contact.title FROM lead LEFT JOIN contact ON contact.company = lead.company WHERE lead.amount < 11",
      "SELECT lead.id, contact.id FROM lead JOIN contact ON contact.company = lead.company WHERE contact.id IN ('p1', 'p2')",
      "SELECT lead.name, contact.id FROM lead JOIN company ON company.id = lead.company JOIN contact ON contact.company = company.id WHERE company.id = 'c1'",
      "SELECT lead.name, contact.id FROM lead JOIN company ON company.id = lead.company LEFT JOIN contact ON contact.company = company.id WHERE company.industry = 'A'",
      "SELECT lead.name, contact.id, company.industry FROM lead LEFT JOIN company ON company.id = lead.company LEFT JOIN contact ON contact.company = company.id",
    ),
    orderBy([...lead, "contact.title", "contact.id"]),
  ),
);

const countedQueries = fc.tuple(
  fc.constantFrom(
    "SELECT DISTINCT name, amount FROM lead",
    "SELECT name, COUNT(*), SUM(amount) FROM lead GROUP BY name",
    "SELECT name FROM lead GROUP BY name HAVING COUNT(*) > 3",
    "SELECT company.industry AS name, COUNT(lead.id) FROM company LEFT JOIN lead ON lead.company = company.id GROUP BY company.industry",
    "SELECT COUNT(*), MAX(amount) FROM lead",
    "SELECT COUNT(*) FROM lead WHERE name = 'nobody'",
    "SELECT COUNT(*) FROM lead WHERE name = 'nobody' HAVING COUNT(*) > 0",
  ),
  fc.constant(""),
);

describe("the pages of a query", () => {
  it("continue by keys, and have every row once and in order", async () => {
    await fc.assert(
      fc.asyncProperty(keyedQueries, fc.integer({ min: 1, max: 40 }), async ([select, order], limit) => {
        const text = select + order;
        const whole = await run(text);
        const pages = await allPages(`${text} LIMIT ${limit}`);
        expect(pages).toEqual({ rows: whole.rows, keyed: true });
        expect(await total(`${text} LIMIT ${limit} OFFSET 2`)).toBe(whole.rows.length);
      }),
      propertyRuns(250),
    );
  });

  it("continue by number for groups and distinct rows", async () => {
    await fc.assert(
      fc.asyncProperty(countedQueries, fc.integer({ min: 1, max: 9 }), async ([text], limit) => {
        const whole = await run(text);
        const { rows } = await allPages(`${text} LIMIT ${limit}`);
        expect(rows).toEqual(whole.rows);
        expect(await total(`${text} LIMIT ${limit}`)).toBe(whole.rows.length);
      }),
      { numRuns: 60 },
    );
  });

  it("begin after an OFFSET", async () => {
    const whole = await run("SELECT id FROM lead ORDER BY name");
    const { rows } = await allPages("SELECT id FROM lead ORDER BY name LIMIT 7 OFFSET 5");
    expect(rows).toEqual(whole.rows.slice(5));
  });

  it.each(["id", "name", "amount DESC"])("by %s do not shift when records come and go", async (order) => {
    const text = `SELECT id FROM lead WHERE created_date IS NOT NULL ORDER BY ${order}`;
    const before = (await run(text)).rows.map((row) => row.id);
    const gone = new Set<unknown>();
    const { rows } = await allPages(`${text} LIMIT 5`, async (turn) => {
      const id = `k${turn}-${order}`;
      await stored("lead").insertOne({ _id: id as never, id, created_date: new Date(), amount: (turn * 7) % 13 });
      const first = await stored("lead").findOneAndDelete({ id: before[turn] });
      gone.add(first?.id);
    });
    const ids = rows.map((row) => row.id);
    expect(new Set(ids).size).toBe(ids.length);
    const stayed = before.filter((id) => !gone.has(id));
    expect(ids.filter((id) => stayed.includes(id))).toEqual(stayed);
  });

  it("continue by number after a key that is too long for a URL", async () => {
    const large = ["x", "y", "z"].map((id) => ({ _id: id as never, id, title: id.repeat(5_000) }));
    await stored("contact").insertMany(large);
    const { rows } = await allPages("SELECT id FROM contact ORDER BY title DESC LIMIT 1");
    expect(rows.slice(0, 3)).toEqual([{ id: "z" }, { id: "y" }, { id: "x" }]);
    expect(rows).toHaveLength(14);
  });

  it("do not exist after LIMIT 0", async () =>
    expect((await allPages("SELECT id FROM lead LIMIT 0")).rows).toEqual([]));
});
