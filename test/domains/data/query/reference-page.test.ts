import { readFileSync } from "node:fs";
import { describe, expect, it, test } from "vitest";
import { relativeDateWords } from "#shared/data/query/analyze/relative-dates";
import { queryLimits } from "#shared/data/query/limits";
import { compile } from "./catalog-fixture.ts";

const page = readFileSync(new URL("../../../../docs/query-language.md", import.meta.url), "utf8");

const examples = [...page.matchAll(/```sql\n([\s\S]*?)```/g)].flatMap((block) => (block[1] ?? "").trim().split("\n\n"));

describe("the reference page of the query language", () => {
  it("has ten examples", () => expect(examples).toHaveLength(10));
  test.each(examples)("%s", (example) => expect(compile(example).pipeline.length).toBeGreaterThan(1));

  it("names only relative dates that exist", () => {
    const words = new Set(relativeDateWords.map((word) => word.replace(/:n$/, "")));
    const table = page.slice(page.indexOf("| Word |"), page.indexOf("## Order"));
    const named = [...table.matchAll(/`(\w+)(?::\d+)?`/g)].map((match) => match[1]);
    expect(named.length).toBeGreaterThan(10);
    for (const word of named) expect(words).toContain(word);
  });

  it("states the limits of the code", () => {
    expect(queryLimits).toMatchObject({ length: 65_536, depth: 50, listValues: 2_000, columns: 500, joins: 8 });
    expect(queryLimits).toMatchObject({ orderItems: 20, name: 255, pattern: 2_000, patternPieces: 200 });
    expect(page).toContain("More than 65,536 characters, 50 levels, 2,000 values in a list, 500 columns, 8 joins");
    expect(page).toContain("8 joins or 20 `ORDER BY` fields, a name of over 255 characters");
    expect(page).toContain("a pattern of over 2,000 characters or 200 pieces.");
    expect(queryLimits).toMatchObject({ rows: 10_000, maxTimeMilliseconds: 20_000 });
    expect(page).toContain("Without `LIMIT` a reply has at most 10,000 rows");
    expect(page).toContain("It ran longer than 20 seconds.");
    expect(queryLimits).toMatchObject({ freeMilliseconds: 1_000, slowAtOnce: 8 });
    expect(page).toContain("longer than one second needs one of its organization's 8 slots");
  });
});
