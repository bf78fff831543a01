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

  it("states the limits as they are", () => {
    const { length, depth, listValues, columns, joins, orderItems, pattern, rows } = queryLimits;
    for (const number of [length, depth, listValues, columns, joins, orderItems, pattern, rows])
      expect(page).toContain(number.toLocaleString("en-US"));
  });
});
