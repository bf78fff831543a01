import { describe, expect, it } from "vitest";
import { explainQuery } from "#shared/query/explain";
import { compile } from "./catalog-fixture.ts";

const explain = (text: string) => explainQuery(compile(text));

describe("EXPLAIN", () => {
  it("shows the pipeline with its dates as dates", () => {
    const { collection, pipeline } = explain("SELECT name FROM lead WHERE created_date >= '2026-01-01T00:00:00Z'");
    expect(collection).toBe("lead");
    expect(pipeline[0]).toEqual({ $match: { created_date: { $gte: { $date: "2026-01-01T00:00:00Z" } } } });
  });

  it.each([
    ["SELECT name FROM lead WHERE id = 'x'", ["id"]],
    ["SELECT name FROM lead WHERE created_date = today", ["created_date"]],
    ["SELECT name FROM lead WHERE company = 'c' AND name = 'a'", ["company.id"]],
    ["SELECT name FROM lead WHERE company = 'c' OR id = 'a'", ["company.id", "id"]],
    ["SELECT name FROM lead ORDER BY created_date LIMIT 5", ["created_date"]],
    ["SELECT name FROM lead LIMIT 5", ["id"]],
    ["SELECT name FROM lead WHERE company = 'c' OR name = 'a'", []],
    ["SELECT name FROM lead WHERE name LIKE 'a%'", []],
    ["SELECT name FROM lead WHERE company IS NOT NULL", []],
  ])("of %s names the indexes that can serve", (text, indexes) => {
    const explanation = explain(text);
    expect(explanation.indexes).toEqual(indexes);
    expect(explanation.warnings.length).toBe(indexes.length === 0 ? 1 : 0);
  });

  it("warns of a join by a field without an index", () => {
    const text = "SELECT lead.name FROM lead JOIN contact ON contact.name = lead.name WHERE lead.id = 'x'";
    expect(explain(text).warnings).toEqual(["contact is joined by name, which has no index."]);
  });
});
