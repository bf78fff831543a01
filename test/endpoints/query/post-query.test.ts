import { beforeAll, describe, expect, it } from "vitest";
import { http, registerOrganization, type User } from "../../platform.ts";

let owner: User;

beforeAll(async () => {
  owner = await registerOrganization();
  await http.post("/v1/object/lead", { token: owner.token, body: [{ name: "Ada" }, { name: "Bob" }], expect: 201 });
});

const post = (body: unknown, expected: number) =>
  http.post("/v1/query", { token: owner.token, body, expect: expected });

describe("POST /v1/query: 200", () => {
  it("gives the same reply as GET", async () => {
    const query = "SELECT name FROM lead WHERE name != 'Cy' ORDER BY name DESC";
    const posted = await post({ query, bypass_cache: true }, 200);
    const got = await http.get("/v1/query", {
      token: owner.token,
      query: { q: query, bypass_cache: true },
      expect: 200,
    });
    expect(posted.body).toEqual(got.body);
    expect(posted.body.records).toEqual([{ name: "Bob" }, { name: "Ada" }]);
  });

  it("accepts a query that is too long for a URL", async () => {
    const values = Array.from({ length: 1_500 }, (_, index) => `'name ${index}'`).join(", ");
    const { body } = await post({ query: `SELECT name FROM lead WHERE name NOT IN (${values}) ORDER BY name` }, 200);
    expect(body.records).toHaveLength(2);
  });
});

describe("POST /v1/query: 401", () => {
  it("without a token", async () =>
    void (await http.post("/v1/query", { body: { query: "SELECT name FROM lead" }, expect: 401 })));
});

describe("POST /v1/query: 415", () => {
  it("refuses a form", async () =>
    void (await http.post("/v1/query", { token: owner.token, form: { query: "SELECT name FROM lead" }, expect: 415 })));
});

describe("POST /v1/query: 422", () => {
  it("names the path in the body", async () => {
    const { body } = await post({ query: "SELECT name FROM lead WHERE" }, 422);
    expect(body.detail).toMatchObject([{ loc: ["body", "query"], type: "query_syntax", ctx: { line: 1, column: 28 } }]);
  });
  it("without a query", async () => void (await post({}, 422)));
  it("refuses hostile nesting", async () => {
    const { body } = await post({ query: `SELECT name FROM lead WHERE ${"(".repeat(30_000)}` }, 422);
    expect(body.detail[0].type).toBe("query_too_complex");
  });
});
