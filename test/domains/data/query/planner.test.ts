import type { Document } from "mongodb";
import { describe, expect, it } from "vitest";
import { compile, memberAccess } from "./catalog-fixture.ts";

const stagesOf = (text: string): string[] => compile(text).pipeline.map((stage) => Object.keys(stage)[0] ?? "");
const stageOf = (text: string, name: string): Document | undefined =>
  compile(text).pipeline.find((stage) => name in stage)?.[name];

describe("the order of a query's stages", () => {
  it("sorts the id in the direction of the last key, so that one index serves both", () => {
    expect(stageOf("SELECT name FROM lead ORDER BY created_date DESC LIMIT 5", "$sort")).toEqual({
      created_date: -1,
      _id: -1,
    });
    expect(stageOf("SELECT name FROM lead ORDER BY created_date LIMIT 5", "$sort")).toEqual({
      created_date: 1,
      _id: 1,
    });
  });

  it("sorts before a lookup of parents, so that the join stops at the end of the page", () => {
    const text =
      "SELECT l.name FROM lead l JOIN company c ON c.id = l.company WHERE c.industry = 'x' ORDER BY l.created_date LIMIT 5";
    expect(stagesOf(text)).toEqual(["$sort", "$lookup", "$unwind", "$limit", "$project"]);
  });

  it("sorts after a join that gives several rows for each record", () => {
    const text = "SELECT c.name FROM company c JOIN lead l ON l.company = c.id ORDER BY c.name LIMIT 5";
    expect(stagesOf(text)).toEqual(["$lookup", "$unwind", "$sort", "$limit", "$project"]);
  });

  it("joins only as many records in a LEFT JOIN as rows are needed", () => {
    const text = "SELECT c.name, l.name FROM company c LEFT JOIN lead l ON l.company = c.id LIMIT 5 OFFSET 10";
    expect(stagesOf(text).slice(0, 3)).toEqual(["$sort", "$limit", "$lookup"]);
    expect(stageOf(text, "$limit")).toBe(15);
  });
});

describe("an inner join of a query", () => {
  const start = (text: string, options = {}) => {
    const { collection, pipeline } = compile(text, options);
    return { collection, first: pipeline[0]?.$match, lookup: pipeline.find((stage) => stage.$lookup)?.$lookup };
  };

  it("starts at the object whose conditions name values of an index", () => {
    const text =
      "SELECT l.name, c.name FROM lead l JOIN company c ON c.id = l.company WHERE c.id = 'c1' AND l.amount > 5";
    const { collection, first, lookup } = start(text);
    expect(collection).toBe("company");
    expect(first).toEqual({ _id: "c1" });
    expect(lookup).toMatchObject({ from: "lead", localField: "_id", foreignField: "company.id" });
    expect(lookup.pipeline).toEqual([
      { $match: { "company.id": { $ne: null }, amount: { $gt: 5 } } },
      { $project: { _id: 1, name: 1, company: 1, amount: 1 } },
    ]);
  });

  it("hides from both objects what the caller may not see", () => {
    const text = "SELECT c.name FROM contact k JOIN company c ON c.id = k.company WHERE c.id = 'c1'";
    expect(start(text, { access: memberAccess }).first).toEqual({ $and: [{ region: "eu" }, { _id: "c1" }] });
    const back = "SELECT c.name FROM company c JOIN contact k ON c.id = k.company WHERE k.id = 'k1'";
    const { collection, lookup } = start(back, { access: memberAccess });
    expect(collection).toBe("contact");
    expect(lookup.pipeline[0]).toEqual({ $match: { region: "eu" } });
  });

  it("keeps a condition that is never true", () => {
    const text = "SELECT c.name FROM contact k JOIN company c ON c.id = k.company AND c.id = 'c1' WHERE 1 = 0";
    expect(start(text).first).toEqual({ _id: { $in: [] } });
  });

  it.each([
    ["the object of FROM is narrowed as well", "k.id = 'k1' AND c.id = 'c1'", "JOIN"],
    ["a range may hold everything", "c.created_date > '2020-01-01'", "JOIN"],
    ["no index serves the condition", "c.industry = 'x'", "JOIN"],
    ["a row without a match has to stay", "c.id = 'c1'", "LEFT JOIN"],
  ])("begins at FROM where %s", (_, condition, join) => {
    const text = `SELECT c.name FROM contact k ${join} company c ON c.id = k.company WHERE ${condition}`;
    expect(start(text).collection).toBe("contact");
  });

  it("starts at FROM if no index leads back", () => {
    expect(start("SELECT c.name FROM contact k JOIN company c ON c.name = k.title WHERE c.id = 'c1'").collection).toBe(
      "contact",
    );
  });
});
