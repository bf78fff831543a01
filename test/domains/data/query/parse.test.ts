import * as fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { parseQuery } from "#shared/data/query/parse/parse";
import type { Condition, Query } from "#shared/data/query/parse/syntax";
import { anyQuery } from "./arbitrary-query.ts";
import { printCondition, printQuery } from "./print-query.ts";
import { issueOf } from "./refusal.ts";
import { withoutPositions } from "./syntax-without-positions.ts";

const loc = ["query", "q"];
const parse = (text: string): Query => parseQuery(text, loc);
const where = (condition: string): Condition => parse(`SELECT * FROM lead WHERE ${condition}`).where as Condition;
const sameTree = (left: string, right: string) =>
  expect(withoutPositions(parse(left))).toEqual(withoutPositions(parse(right)));

describe("precedence", () => {
  const p = "`a` = 1";
  const q = "`b` = 2";
  const r = "`c` = 3";
  test.each([
    [`${p} OR ${q} AND ${r}`, `${p} OR (${q} AND ${r})`],
    [`${p} AND ${q} OR ${r}`, `(${p} AND ${q}) OR ${r}`],
    [`NOT ${p} AND ${q}`, `(NOT ${p}) AND ${q}`],
    [`NOT ${p} OR ${q}`, `(NOT ${p}) OR ${q}`],
    [`NOT NOT ${p} AND ${q}`, `(NOT (NOT ${p})) AND ${q}`],
    [`${p} AND NOT ${q} OR NOT ${r} AND ${p}`, `(${p} AND (NOT ${q})) OR ((NOT ${r}) AND ${p})`],
    [`a BETWEEN 1 AND 2 AND ${q}`, `(a BETWEEN 1 AND 2) AND ${q}`],
    [`a NOT BETWEEN 1 AND 2 OR ${q} AND ${r}`, `(a NOT BETWEEN 1 AND 2) OR (${q} AND ${r})`],
    [`(((${p})))`, p],
  ])("%s is read as %s", (text, grouped) => {
    expect(withoutPositions(where(text))).toEqual(withoutPositions(where(grouped)));
  });

  it("keeps a parenthesized OR inside AND", () => {
    expect(printCondition(where(`(${p} OR ${q}) AND ${r}`))).toBe(`(${p} OR ${q}) AND ${r}`);
    expect(printCondition(where(`NOT (${p} AND ${q})`))).toBe(`NOT (${p} AND ${q})`);
  });
});

describe("the parser of queries", () => {
  test.each([
    [
      "select NAME from Lead where NAME like 'a' order by NAME desc limit 1 offset 2",
      "SELECT NAME FROM Lead WHERE NAME LIKE 'a' ORDER BY NAME DESC LIMIT 1 OFFSET 2",
    ],
    ["SELECT a FROM l OFFSET 2 LIMIT 1", "SELECT a FROM l LIMIT 1 OFFSET 2"],
    ["SELECT a x FROM lead l", "SELECT a AS x FROM lead AS l"],
    ["SELECT a AS 'Total sum' FROM lead", "SELECT a AS `Total sum` FROM lead"],
    ["SELECT a FROM l WHERE b <> 1", "SELECT a FROM l WHERE b != 1"],
    ["SELECT a FROM l WHERE b IN [1, 'x', NULL]", "SELECT a FROM l WHERE b IN (1, 'x', NULL)"],
    ["SELECT a FROM l ORDER BY a, b DESC", "SELECT a FROM l ORDER BY a ASC, b DESC"],
    ["SELECT a FROM l INNER JOIN m ON l.id = m.l", "SELECT a FROM l JOIN m ON l.id = m.l"],
    ["SELECT a FROM l LEFT OUTER JOIN m ON l.id = m.l", "SELECT a FROM l LEFT JOIN m ON l.id = m.l"],
    [
      "SELECT a FROM l WHERE d = 2026-01-31 AND e > 2026-01-31T09:30:00.5+02:00",
      "SELECT a FROM l WHERE d = '2026-01-31' AND e > '2026-01-31T09:30:00.5+02:00'",
    ],
    ['SELECT a FROM l WHERE b = "it""s"', "SELECT a FROM l WHERE b = 'it\"s'"],
    ["SELECT a -- the name\nFROM /* here */ l;", "SELECT a FROM l"],
    ["SELECT a FROM l WHERE b = +.5e1 AND c = - 2", "SELECT a FROM l WHERE b = 5 AND c = -2"],
    [
      "SELECT order, group, limit, left FROM l ORDER BY order LIMIT 1",
      "SELECT `order`, `group`, `limit`, `left` FROM l ORDER BY `order` LIMIT 1",
    ],
    ["SELECT l.select, l.from FROM l", "SELECT l.`select`, l.`from` FROM l"],
    ["SELECT a FROM l WHERE today = TODAY", "SELECT a FROM l WHERE today = today"],
  ])("%s means %s", (text, meaning) => {
    const spelled = (query: string) =>
      JSON.parse(JSON.stringify(withoutPositions(parse(query))).replaceAll("TODAY", "today"));
    expect(spelled(text)).toEqual(spelled(meaning));
  });

  it("parses every clause", () => {
    const query = parse(
      "EXPLAIN SELECT DISTINCT c.*, l.company.name AS n, COUNT(*), count( distinct l.status ) FROM lead l " +
        "JOIN company c ON c.id = l.company LEFT JOIN contact ON contact.company = c.id AND contact.title IS NOT NULL " +
        "WHERE l.owner = ME AND l.created_date = last_n_days:30 GROUP BY c.id HAVING COUNT(*) > 1 ORDER BY COUNT(*) DESC LIMIT 5 OFFSET 10",
    );
    expect(query).toMatchObject({ explain: true, distinct: true, limit: 5, offset: 10 });
    expect(query.joins.map((join) => [join.outer, join.source.object.text])).toEqual([
      [false, "company"],
      [true, "contact"],
    ]);
    expect(query.select[3]).toMatchObject({
      expression: { name: "COUNT", distinct: true, text: "count( distinct l.status )" },
    });
    expect(query.where).toMatchObject({
      items: [{ right: { kind: "me" } }, { right: { date: { unit: "day", from: -30, to: 0 } } }],
    });
  });

  it("gives the position of each part", () => {
    const text = "SELECT name,\n  status AS s\nFROM lead\nWHERE name = 'a\nb' AND status IS NULL";
    const { select, where: condition } = parse(text);
    expect(select[1]).toMatchObject({
      at: { offset: 15, length: 11, line: 2, column: 3 },
      alias: { at: { column: 13 } },
    });
    const [first, second] = condition?.kind === "and" ? condition.items : [];
    expect(text.slice(first?.at.offset, (first?.at.offset ?? 0) + (first?.at.length ?? 0))).toBe("name = 'a\nb'");
    expect(second?.at).toMatchObject({ line: 5, column: 8, length: 14 });
  });

  it("parses every tree that is printed to the same tree", () => {
    fc.assert(
      fc.property(anyQuery, (query) => {
        expect(withoutPositions(parse(printQuery(query)))).toEqual(withoutPositions(query));
      }),
      { numRuns: 400 },
    );
  });

  it("recognizes keywords in any letter case", () =>
    sameTree("SeLeCt a FrOm l wHeRe a iS nOt NuLl", "SELECT a FROM l WHERE a IS NOT NULL"));
});

describe("a syntax error", () => {
  test.each([
    ["", 1, 1, "Expected SELECT or EXPLAIN, found the end of the query."],
    ["SELEC name FROM lead", 1, 1, "Expected SELECT or EXPLAIN, found SELEC. Did you mean SELECT?"],
    ["EXPLAIN name", 1, 9, "Expected SELECT, found name."],
    ["SELECT FROM lead", 1, 8, "Expected a field, *, or an aggregate, found FROM."],
    ["SELECT name, FROM lead", 1, 14, "Expected a field, *, or an aggregate, found FROM."],
    ["SELECT name FORM lead", 1, 13, "Expected a comma, AS or FROM, found FORM. Did you mean FROM?"],
    ["SELECT name", 1, 12, "Expected a comma or FROM, found the end of the query."],
    ["SELECT name FROM", 1, 17, "Expected an object, found the end of the query."],
    [
      "SELECT name FROM (SELECT a FROM b)",
      1,
      18,
      "Expected an object, found (. A query inside a query is not supported.",
    ],
    [
      "SELECT name FROM lead\nWHER name = 'a'",
      2,
      1,
      "Expected AS, ON, JOIN, LEFT JOIN, WHERE, GROUP BY, ORDER BY, LIMIT or OFFSET, found WHER. Did you mean WHERE?",
    ],
    ["SELECT name FROM lead WHERE", 1, 28, "Expected a field or a value, found the end of the query."],
    [
      "SELECT name FROM lead WHERE name",
      1,
      33,
      "Expected =, !=, <, <=, >, >=, IN, LIKE, BETWEEN, IS or NOT, found the end of the query.",
    ],
    ["SELECT name FROM lead WHERE name = ", 1, 36, "Expected a field or a value, found the end of the query."],
    ["SELECT name FROM lead WHERE name NOT = 1", 1, 38, "Expected IN, LIKE or BETWEEN, found =."],
    ["SELECT name FROM lead WHERE name IS 1", 1, 37, "Expected NULL, found 1."],
    ["SELECT name FROM lead WHERE name IN 1", 1, 37, "Expected ( or [, found 1."],
    ["SELECT name FROM lead WHERE name IN ()", 1, 38, "Expected a value, found )."],
    ["SELECT name FROM lead WHERE name IN (1]", 1, 39, "Expected a comma or ), found ]."],
    ["SELECT name FROM lead WHERE name IN [1)", 1, 39, "Expected a comma or ], found )."],
    ["SELECT name FROM lead WHERE name IN (New)", 1, 38, "Expected a value, found New. Put text in quotes."],
    [
      "SELECT name FROM lead WHERE name IN (SELECT id FROM x)",
      1,
      38,
      "A query inside a query is not supported; use JOIN.",
    ],
    ["SELECT name FROM lead WHERE amount BETWEEN 1", 1, 45, "Expected AND, found the end of the query."],
    ["SELECT name FROM lead WHERE (a = 1", 1, 35, "Expected AND, OR or ), found the end of the query."],
    [
      "SELECT name FROM lead WHERE a = 1)",
      1,
      34,
      "Expected AND, OR, GROUP BY, ORDER BY, LIMIT, OFFSET or the end of the query, found ).",
    ],
    ["SELECT name FROM lead WHERE 'a' IS NULL", 1, 29, "Expected a field on the left of this operator, found a value."],
    ["SELECT name FROM lead WHERE a = 'x", 1, 33, "The string that opens here has no closing '."],
    ["SELECT `name FROM lead", 1, 8, "The name that opens here has no closing `."],
    ["SELECT `` FROM lead", 1, 8, "A name cannot be empty."],
    ["SELECT name /* FROM lead", 1, 13, "The comment that opens here is not closed."],
    ["SELECT name FROM lead WHERE a = 12abc", 1, 33, "12abc is neither a number nor a name; put text in quotes."],
    ["SELECT name FROM lead WHERE a = 1e999", 1, 33, "This number is too large."],
    ["SELECT name FROM lead WHERE $where = 1", 1, 29, "The character $ has no meaning here."],
    ["SELECT name FROM lead WHERE a = ?", 1, 33, "The character ? has no meaning here."],
    ["SELECT name FROM lead WHERE a == 1", 1, 32, "Expected a field or a value, found =."],
    ["SELECT a.b.c.d FROM lead", 1, 8, "A field is written with at most three names: object.lookup.name."],
    ["SELECT UPPER(name) FROM lead", 1, 8, "There is no function UPPER; use COUNT, SUM, AVG, MIN, MAX."],
    ["SELECT SUM(*) FROM lead", 1, 12, "Expected a field, found *."],
    ["SELECT COUNT(DISTINCT *) FROM lead", 1, 23, "Expected a field, found *."],
    ["SELECT name FROM lead, company", 1, 22, "Several objects are joined by JOIN … ON, not by a comma."],
    ["SELECT name FROM lead RIGHT JOIN company ON a = b", 1, 23, "RIGHT is not supported; use JOIN or LEFT JOIN."],
    ["SELECT name FROM lead JOIN company", 1, 35, "Expected ON, found the end of the query."],
    ["SELECT name FROM lead ORDER name", 1, 29, "Expected BY, found name."],
    ["SELECT name FROM lead ORDER BY", 1, 31, "Expected a field, found the end of the query."],
    ["SELECT name FROM lead LIMIT -1", 1, 29, "Expected a whole number, found -."],
    ["SELECT name FROM lead LIMIT 1.5", 1, 29, "Expected a whole number, found 1.5."],
    ["SELECT name FROM lead LIMIT 1 LIMIT 2", 1, 31, "Expected OFFSET or the end of the query, found LIMIT."],
    ["SELECT name FROM lead LIMIT 1; SELECT 2", 1, 32, "Expected OFFSET or the end of the query, found SELECT."],
    ["SELECT name FROM lead WHERE d = last_n_days", 1, 44, "Expected :, found the end of the query."],
    ["SELECT name FROM lead WHERE d = last_n_days:x", 1, 45, "Expected a whole number, found x."],
    ["SELECT name FROM lead WHERE d = last_n_days:0", 1, 33, "The number of last_n_days must be from 1 to 5000."],
    ["SELECT name FROM lead WHERE d = last_n_days:99999", 1, 33, "The number of last_n_days must be from 1 to 5000."],
    ["SELECT name FROM lead WHERE d = last_n_hours:3", 1, 33, "There is no relative date last_n_hours:n."],
  ])("%j is at line %i, column %i", (text, line, column, sentence) => {
    const issue = issueOf(() => parse(text));
    expect(issue).toMatchObject({ loc, type: "query_syntax", ctx: { line, column } });
    expect(issue.msg).toBe(`Line ${line}, column ${column}: ${sentence}`);
  });

  it("suggests what was probably meant in its context", () => {
    expect(issueOf(() => parse("SELECT name FROM lead WHERE a = 1 ODER BY name")).ctx).toMatchObject({
      found: "ODER",
      did_you_mean: "ORDER BY",
    });
  });
});

describe("hostile query text", () => {
  const refused = (text: string) => expect(issueOf(() => parse(text)).type).toBe("query_too_complex");
  it("is refused beyond the maximal depth", () => {
    expect(() => where(`${"(".repeat(50)}a = 1${")".repeat(50)}`)).not.toThrow();
    refused(`SELECT * FROM lead WHERE ${"(".repeat(30_000)}a = 1`);
    refused(`SELECT * FROM lead WHERE ${"NOT ".repeat(10_000)}a = 1`);
    refused(`SELECT * FROM lead WHERE ${"NOT (".repeat(10_000)}a = 1`);
  });
  it("is refused beyond the maximal length", () => {
    refused(`SELECT * FROM lead WHERE a = '${"x".repeat(70_000)}'`);
    refused(`SELECT ${"a, ".repeat(600)}b FROM lead`);
    refused(`SELECT a FROM lead ${"JOIN b ON a = b ".repeat(9)}`);
    refused(`SELECT a FROM lead ORDER BY ${"a, ".repeat(25)}b`);
    refused(`SELECT a FROM lead WHERE a IN (${"1, ".repeat(2_001)}1)`);
  });
  it("raises nothing but a refusal", () => {
    const word = fc.constantFrom(
      "SELECT",
      "FROM",
      "lead",
      "WHERE",
      "(",
      ")",
      "NOT",
      "a",
      "=",
      "'",
      "'x'",
      ",",
      ".",
      "*",
      "IN",
      "[",
      "]",
      "1",
      "AND",
      "ORDER",
      "BY",
      ":",
      "last_n_days",
      "-",
      "JOIN",
      "ON",
      "COUNT",
      "`",
    );
    const noise = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(word).map((words) => words.join(" ")),
    );
    fc.assert(
      fc.property(noise, (text) => {
        try {
          parse(text);
        } catch (error) {
          expect(error).toMatchObject({ name: "validation_failed" });
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
