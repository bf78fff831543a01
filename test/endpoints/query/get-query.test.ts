import { beforeAll, describe, expect, it } from "vitest";
import { addUser, http, registerOrganization, type User } from "../../platform.ts";

let owner: User;
let companyId: string;

const query = (q: string, token = owner.token, expected = 200) =>
  http.get("/v1/query", { token, query: { q }, expect: expected });
const names = async (q: string): Promise<string[]> =>
  (await query(q)).body.records.map((record: { name: string }) => record.name);

beforeAll(async () => {
  owner = await registerOrganization();
  const { body: company } = await http.post("/v1/object/company", {
    token: owner.token,
    body: { name: "Acme" },
    expect: 201,
  });
  companyId = company.id;
  await http.post("/v1/object/lead", {
    token: owner.token,
    body: [
      { name: "Ada", status: "New", amount: 100, company: companyId },
      { name: "Bob", status: "Working", amount: 50 },
      { name: "ben", amount: 75, company: companyId },
      { name: "Zoë", status: "New" },
    ],
    expect: 201,
  });
});

describe("GET /v1/query: 200", () => {
  it("gives records and headers", async () => {
    const { body } = await query("SELECT name, amount, company FROM Lead WHERE status = 'New' ORDER BY name");
    expect(body.records).toEqual([
      { name: "Ada", amount: 100, company: { id: companyId, schema: "company", name: "Acme" } },
      { name: "Zoë", amount: null, company: null },
    ]);
    expect(body.headers.map((header: { api_name: string }) => header.api_name)).toEqual(["name", "amount", "company"]);
    expect(body).not.toHaveProperty("truncated");
  });

  it("gives every readable field for *, and dates as ISO text", async () => {
    const { body } = await query("SELECT * FROM lead WHERE name = 'Ada'");
    const [record] = body.records;
    expect(Object.keys(record)).toEqual(body.headers.map((header: { api_name: string }) => header.api_name));
    expect(record).toMatchObject({ name: "Ada", owner: { id: owner.id, schema: "user" } });
    expect(record.created_date).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(record).not.toHaveProperty("_id");
  });

  it.each([
    ["status = 'New' OR status = 'Working' AND amount < 10", ["Ada", "Zoë"]],
    ["(status = 'New' OR status = 'Working') AND amount < 80", ["Bob"]],
    ["NOT status = 'New'", ["Bob"]],
    ["status IS NULL", ["ben"]],
    ["status NOT IN ('New', NULL)", []],
    ["name LIKE 'B%'", ["Bob", "ben"]],
    ["name LIKE '%ë'", ["Zoë"]],
    ["amount BETWEEN 50 AND 75", ["Bob", "ben"]],
    ["status IN ['New', 'Working']", ["Ada", "Bob", "Zoë"]],
    ["company.name = 'Acme'", ["Ada", "ben"]],
    ["owner = ME AND created_date = today AND amount > 60", ["Ada", "ben"]],
    ["created_date < today", []],
  ])("WHERE %s", async (condition, expected) =>
    expect(await names(`SELECT name FROM lead WHERE ${condition} ORDER BY name`)).toEqual(expected),
  );

  it("sorts by code point with NULL first, and pages", async () => {
    expect(await names("SELECT name FROM lead ORDER BY name DESC")).toEqual(["ben", "Zoë", "Bob", "Ada"]);
    expect(await names("SELECT name FROM lead ORDER BY amount, name")).toEqual(["Zoë", "Bob", "ben", "Ada"]);
    expect(await names("SELECT name FROM lead ORDER BY name LIMIT 2 OFFSET 1")).toEqual(["Bob", "Zoë"]);
    expect(await names("SELECT name FROM lead LIMIT 0")).toEqual([]);
  });

  it("joins, groups and counts", async () => {
    const joined = await query(
      "SELECT company.name, lead.name FROM company JOIN lead ON company.id = lead.company ORDER BY lead.name",
    );
    expect(joined.body.records).toEqual([
      { "company.name": "Acme", "lead.name": "Ada" },
      { "company.name": "Acme", "lead.name": "ben" },
    ]);
    const grouped = await query(
      "SELECT status, COUNT(*), SUM(amount) AS total FROM lead GROUP BY status ORDER BY status",
    );
    expect(grouped.body.records).toEqual([
      { status: null, "COUNT(*)": 1, total: 75 },
      { status: "New", "COUNT(*)": 2, total: 100 },
      { status: "Working", "COUNT(*)": 1, total: 50 },
    ]);
    const empty = await query("SELECT COUNT(*) AS n, SUM(amount) AS total FROM lead WHERE name = 'nobody'");
    expect(empty.body.records).toEqual([{ n: 0, total: null }]);
  });

  it("explains a query without running it", async () => {
    const { body } = await query("EXPLAIN SELECT name FROM lead WHERE id = 'x'");
    expect(body).toMatchObject({ records: [], explain: { collection: "lead", indexes: ["id"], warnings: [] } });
    expect(body.explain.pipeline[0]).toEqual({ $match: { _id: "x" } });
  });

  it("reads the caller's organization only", async () => {
    const stranger = await registerOrganization();
    expect((await query("SELECT COUNT(*) AS n FROM lead", stranger.token)).body.records).toEqual([{ n: 0 }]);
  });
});

describe("GET /v1/query: 401", () => {
  it("without a token", async () =>
    void (await http.get("/v1/query", { query: { q: "SELECT name FROM lead" }, expect: 401 })));
});

describe("GET /v1/query: 422", () => {
  it("names line, column and what was expected", async () => {
    const { body } = await query("SELECT name\nFORM lead", owner.token, 422);
    expect(body).toMatchObject({
      code: "validation_failed",
      detail: [
        { loc: ["query", "q"], type: "query_syntax", ctx: { line: 2, column: 1, found: "FORM", did_you_mean: "FROM" } },
      ],
    });
  });
  it("names every unknown field", async () => {
    const { body } = await query("SELECT nam, statu FROM lead", owner.token, 422);
    expect(body.detail.map((issue: { ctx: { did_you_mean: string } }) => issue.ctx.did_you_mean)).toEqual([
      "name",
      "status",
    ]);
  });
  it("without a query", async () => void (await http.get("/v1/query", { token: owner.token, expect: 422 })));
  it("is the same for an unreadable object or field as for a missing one", async () => {
    const member = await addUser(owner.organizationId, { permissions: [] });
    const forbidden = await query("SELECT name FROM lead", member.token, 422);
    expect(forbidden.body.detail).toMatchObject([{ type: "unknown_object", ctx: { found: "lead" } }]);
    expect(forbidden.body.detail[0].ctx).not.toHaveProperty("did_you_mean");
  });
  it.each(["organization_state", "schemas", "system.users", "sandbox"])(
    "refuses the collection %s, which is no object",
    async (name) => {
      const { body } = await query(`SELECT id FROM \`${name}\``, owner.token, 422);
      expect(body.detail[0].type).toBe("unknown_object");
    },
  );
  it.each(["password_hash", "totp_secret", "notification_tokens"])(
    "refuses a user's %s, even for an owner",
    async (name) => {
      const { body } = await query(`SELECT ${name} FROM user`, owner.token, 422);
      expect(body.detail[0].type).toBe("unknown_field");
    },
  );
});
