import { beforeAll, describe, expect, it } from "vitest";
import { addUser, type HttpReply, http, registerOrganization, type User } from "../../platform.ts";

/** Concurrent requests, so that several execution environments answer, each with its own cache. */
const READERS = 6;

let owner: User;

const query = (q: string, user = owner, options: Record<string, boolean> = {}): Promise<HttpReply> =>
  http.get("/v1/query", { token: user.token, query: { q, ...options }, expect: 200 });
const cacheOf = ({ headers }: HttpReply): string | null => headers.get("x-cache");
const create = (object: string, body: unknown): Promise<HttpReply> =>
  http.post(`/v1/object/${object}`, { token: owner.token, body, expect: 201 });

/** Repeats until some environment has cached it. */
const untilHit = async (ask: () => Promise<HttpReply>): Promise<HttpReply> => {
  for (let turn = 0; turn < 50; turn += 1) {
    const reply = await ask();
    if (cacheOf(reply) === "hit") return reply;
  }
  throw new Error("no environment ever answered from its cache");
};

beforeAll(async () => {
  owner = await registerOrganization();
  await create("lead", [{ name: "Ada", amount: 1 }, { name: "Bob" }]);
});

describe("a cached query result", () => {
  it("is the same for any spelling of the query", async () => {
    const first = await query("SELECT name FROM lead WHERE amount = 1");
    const hit = await untilHit(() => query("select name\nfrom LEAD where amount=1 -- the same"));
    expect(hit.body).toEqual(first.body);
  });

  it("is separate for other columns, other names and totals", async () => {
    const q = "SELECT name AS who FROM lead WHERE amount = 1";
    expect((await untilHit(() => query(q))).body.records).toEqual([{ who: "Ada" }]);
    expect((await untilHit(() => query(q, owner, { count: true }))).body.total).toBe(1);
  });

  it("is shared by callers with equal rights only", async () => {
    const [first, second] = [await addUser(owner.organizationId), await addUser(owner.organizationId)];
    const q = "SELECT name FROM lead WHERE amount < 5";
    await untilHit(() => query(q, first));
    await untilHit(() => query(q, second));
    const mine = "SELECT name FROM lead WHERE owner = ME";
    await untilHit(() => query(mine));
    expect((await query(mine, second)).body.records).toEqual([]);
    const stranger = await registerOrganization();
    expect((await query(q, stranger)).body.records).toEqual([]);
    const limited = await create("permission", {
      name: "No amounts",
      object_permissions: { lead: { read: true } },
      object_field_permissions: { lead: { amount: { read: false } } },
    });
    const third = await addUser(owner.organizationId, { permissions: [limited.body.id] });
    await untilHit(() => query("SELECT * FROM lead"));
    expect((await query("SELECT * FROM lead", third)).body.records[0]).not.toHaveProperty("amount");
    await http.get("/v1/query", { token: third.token, query: { q }, expect: 422 });
  });

  it("is not used on request, for EXPLAIN, and for queries with `now`", async () => {
    const q = "SELECT name FROM lead";
    for (let turn = 0; turn < 3; turn += 1) {
      expect(cacheOf(await query(q, owner, { bypass_cache: true }))).toBe("bypass");
      expect(cacheOf(await query(`EXPLAIN ${q}`))).toBe("bypass");
      expect(cacheOf(await query(`${q} WHERE created_date < now`))).toBe("bypass");
    }
    const { headers } = await http.post("/v1/query", {
      token: owner.token,
      body: { query: q, bypass_cache: true },
      expect: 200,
    });
    expect(headers.get("x-cache")).toBe("bypass");
    expect((await query(`${q} WHERE created_date = today`)).body.records).toHaveLength(2);
  });

  it("ends with a write to any object of the query", async () => {
    const company = (await create("company", { name: "Acme" })).body;
    await create("lead", { name: "Joined", company: company.id });
    const q =
      "SELECT lead.name, company.industry FROM lead LEFT JOIN company ON company.id = lead.company WHERE lead.name = 'Joined'";
    await untilHit(() => query(q));
    await http.patch(`/v1/object/company/${company.id}`, {
      token: owner.token,
      body: { industry: "Energy" },
      expect: 200,
    });
    const replies = await Promise.all(Array.from({ length: READERS }, () => query(q)));
    expect(new Set(replies.map(({ body }) => body.records[0]["company.industry"]))).toEqual(new Set(["Energy"]));
  });

  it("ends when an operator adds a user", async () => {
    const q = "SELECT COUNT(*) AS n FROM user";
    const before = (await untilHit(() => query(q))).body.records[0].n;
    await addUser(owner.organizationId);
    const replies = await Promise.all(Array.from({ length: READERS }, () => query(q)));
    expect(replies.map(({ body }) => body.records[0].n)).toEqual(replies.map(() => before + 1));
  });
});

describe("during concurrent writes", () => {
  const q = "SELECT amount FROM lead WHERE name = 'Counter'";
  const WRITES = 200;

  it("no reader gets less than was acknowledged before the request", async () => {
    const { id } = (await create("lead", { name: "Counter", amount: 0 })).body;
    let acknowledged = 0;
    let reads = 0;
    let hits = 0;
    let writing = true;
    const read = async (): Promise<void> => {
      while (writing) {
        const least = acknowledged;
        const reply = await query(q);
        expect(reply.body.records[0].amount).toBeGreaterThanOrEqual(least);
        reads += 1;
        if (cacheOf(reply) === "hit") hits += 1;
      }
    };
    const write = async (): Promise<void> => {
      try {
        for (let amount = 1; amount <= WRITES; amount += 1) {
          await http.patch(`/v1/object/lead/${id}`, { token: owner.token, body: { amount }, expect: 200 });
          acknowledged = amount;
          // The writer's next read, from any environment.
          const own = await query(q);
          expect(own.body.records[0].amount).toBe(amount);
          await Promise.all(Array.from({ length: amount % 3 }, () => query(q)));
        }
      } finally {
        writing = false;
      }
    };
    await Promise.all([write(), ...Array.from({ length: READERS }, read)]);
    expect(reads).toBeGreaterThan(1_000);
    expect(hits).toBeGreaterThan(100);
  });
});
