import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compileQuery, executable } from "#shared/data/query/compile/compile";
import { queryLimits } from "#shared/data/query/limits";
import { parseQuery } from "#shared/data/query/parse/parse";
import { propertyRuns } from "../../../setup/property-runs.ts";
import { scopeOf } from "./catalog-fixture.ts";
import { issueOf } from "./refusal.ts";
import { withoutPositions } from "./syntax-without-positions.ts";

const loc = ["body", "query"];
const parse = (text: string, parameters: readonly unknown[] = []) => parseQuery(text, loc, parameters);
const tree = (text: string, parameters: readonly unknown[] = []) => withoutPositions(parse(text, parameters));

/** A value as a literal of the language. */
const printed = (value: unknown): string =>
  typeof value === "string" ? `'${value.replaceAll("'", "''")}'` : value === null ? "NULL" : String(value);

/** Texts that would be more than a value if they became a part of the query. */
const hostile = fc.constantFrom(
  "' OR 1 = 1 --",
  "'; SELECT",
  "$1",
  "$2",
  "me",
  "today",
  "/* ",
  "x' UNION",
  "\\'",
  '"',
  "`",
);
const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }));
const plainNumber = number.filter((n) => !Object.is(n, -0));
const value = fc.oneof(fc.string({ unit: "binary" }), hostile, plainNumber, fc.boolean(), fc.constant(null));

describe("a value that is bound to a query", () => {
  it("is a literal, whatever it contains, and nothing else of the query changes", () => {
    fc.assert(
      fc.property(value, value, (a, b) => {
        const bound = tree("SELECT id FROM lead WHERE name = $1 AND (status != $2 OR amount BETWEEN $1 AND $2)", [
          a,
          b,
        ]);
        const [x, y] = [printed(a), printed(b)];
        const literal = `SELECT id FROM lead WHERE name = ${x} AND (status != ${y} OR amount BETWEEN ${x} AND ${y})`;
        expect(bound).toEqual(tree(literal));
      }),
      propertyRuns(2_000),
    );
  });

  it("can be a list where the language has one", () => {
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 20 }), (list) => {
        const text = (values: string) => `SELECT id FROM lead WHERE name NOT IN (${values})`;
        expect(tree(text("$1"), [list])).toEqual(tree(text(list.map(printed).join(", "))));
        expect(tree(text("'x', $1, 'y'"), [list])).toEqual(tree(text(["'x'", ...list.map(printed), "'y'"].join(", "))));
      }),
      propertyRuns(500),
    );
  });

  it("compiles to the pipeline of the literal", () => {
    const compiled = (text: string, parameters: readonly unknown[] = []) =>
      executable(compileQuery(parse(text, parameters), scopeOf({ loc }))).pipeline;
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(compiled("SELECT name FROM lead WHERE name = $1", [text])).toEqual(
          compiled(`SELECT name FROM lead WHERE name = ${printed(text)}`),
        );
      }),
      propertyRuns(500),
    );
  });

  it("can be the number of LIMIT and OFFSET", () => {
    expect(parse("SELECT id FROM lead LIMIT $2 OFFSET $1", [3, 7])).toMatchObject({ limit: 7, offset: 3 });
    for (const wrong of ["7", 1.5, -1, null, true, [1]]) {
      expect(issueOf(() => parse("SELECT id FROM lead LIMIT $1", [wrong])).msg).toContain("must be a whole number");
    }
  });

  it("is refused where it is no value: as a name, a keyword, a list outside of IN, or an object", () => {
    for (const text of ["SELECT $1 FROM lead", "SELECT id FROM $1", "SELECT id FROM lead ORDER BY $1"]) {
      expect(issueOf(() => parse(text, ["name"])).type).toBe("query_syntax");
    }
    for (const wrong of [[1], {}, undefined, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(issueOf(() => parse("SELECT id FROM lead WHERE name = $1", [wrong])).msg).toContain(
        "must be text, a number",
      );
    }
  });

  it("is needed for each number, and each value for a number", () => {
    expect(issueOf(() => parse("SELECT id FROM lead WHERE name = $1")).msg).toContain("There is no value for $1.");
    expect(issueOf(() => parse("SELECT id FROM lead WHERE name = $0", ["a"])).msg).toContain("no value for $0");
    const unused = issueOf(() => parse("SELECT id FROM lead WHERE name = $1", ["a", "b"]));
    expect(unused.msg).toContain("uses 1 of the 2 values");
    const many = Array.from({ length: queryLimits.listValues + 1 }, (_, n) => n);
    expect(issueOf(() => parse("SELECT id FROM lead WHERE amount IN ($1)", [many])).type).toBe("query_too_complex");
  });
});
