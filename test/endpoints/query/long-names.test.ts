import { beforeAll, describe, expect, it } from "vitest";
import { http, registerOrganization, type User } from "../../platform.ts";

const LONG = "n".repeat(900_000);

let owner: User;

beforeAll(async () => {
  owner = await registerOrganization();
});

const refusal = async (pipeline: unknown) => {
  const body = { collection: "lead", pipeline };
  const reply = await http.post("/v1/query/docdb", { token: owner.token, body, expect: 422 });
  expect(reply.text.length).toBeLessThan(5_000);
  return reply.body.detail;
};

describe("a name that no object can have", () => {
  it.each([
    ["$lookup", { $lookup: { from: LONG, localField: "a", foreignField: "id", as: "b" } }],
    ["$unionWith", { $unionWith: { coll: LONG } }],
    [
      "$graphLookup",
      { $graphLookup: { from: LONG, startWith: "$a", connectFromField: "a", connectToField: "id", as: "b" } },
    ],
  ])("is refused in %s, and cut in the answer", async (_, stage) => {
    const [issue] = await refusal([stage]);
    expect(issue).toMatchObject({ type: "unknown_object", ctx: { found: `${"n".repeat(80)}…` } });
  });

  it("is refused if it is one character too long, in any letter case", async () => {
    const [issue] = await refusal([{ $unionWith: { coll: "N".repeat(81) } }]);
    expect(issue).toMatchObject({ type: "unknown_object" });
  });

  it.each(["field", "operator"])("is cut where it is a %s", async (kind) => {
    const detail = await refusal([
      kind === "field"
        ? { $lookup: { from: "contact", localField: "a", foreignField: LONG, as: "b" } }
        : { $match: { name: { [`$${LONG}`]: 1 } } },
    ]);
    expect(detail.length).toBeGreaterThan(0);
  });
});

describe("a long name in a query", () => {
  const ask = (query: string, status: number) =>
    http.post("/v1/query", { token: owner.token, body: { query }, expect: status });

  it.each([
    ["an object", `SELECT name FROM ${"o".repeat(256)}`],
    ["a column", `SELECT ${"c".repeat(256)} FROM lead`],
    ["an alias", `SELECT name AS \`${"a".repeat(256)}\` FROM lead`],
  ])("is refused for %s", async (_, query) => {
    const { body, text } = await ask(query, 422);
    expect(body.detail[0]).toMatchObject({ type: "query_too_complex" });
    expect(body.detail[0].msg).toContain("A name has at most 255 characters; this one has 256.");
    expect(text.length).toBeLessThan(1_000);
  });

  it("of 255 characters is accepted", async () => {
    const alias = "a".repeat(255);
    const { body } = await ask(`SELECT name AS ${alias} FROM lead`, 200);
    expect(body.headers[0].api_name).toBe(alias);
  });

  it("that occurs in thousands of issues does not make the reply long", async () => {
    const aliases = Array.from({ length: 8 }, (_, index) => `${"a".repeat(250)}${index}`);
    const joins = aliases.map((alias) => `JOIN lead AS ${alias} ON ${alias}.id = lead.x`).join(" ");
    const failures = Array.from({ length: 5_000 }, (_, index) => `f${index} = 1`).join(" OR ");
    const { body, text } = await ask(`SELECT name FROM lead ${joins} WHERE ${failures}`, 422);
    expect(body.detail.length).toBeLessThanOrEqual(100);
    expect(text.length).toBeLessThan(500_000);
  });
});
