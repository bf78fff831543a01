import { describe, expect, it } from "vitest";
import { fieldsOfCondition } from "#shared/data/schema/rules/compile";
import { issuesOf, onCreate, outcome } from "./object.ts";

const record = {
  name: "Apollo",
  amount: 6,
  due_date: "2026-01-31",
  closed_at: new Date("2026-03-01T11:30:00.000Z"),
  tags: ["a"],
  items: [1, "x", null],
  data: { size: { width: 3, depth: null }, rows: [1, 2] },
  company: { id: "c1", schema: "company", name: null },
  people: [{ id: "u1", schema: "user", name: "Ada" }],
  ssn: "encrypted",
  secret: "sealed",
  constructor: "c",
  in: "i",
};

describe("conditions that are true", () => {
  it.each([
    "record.amount > 5",
    "record.amount == 6 && 6 == record.amount && record.amount != 7",
    "record.amount + 1 == 7 && record.amount / 4 == 1.5",
    "record.amount in [1, 6]",
    "int(record.amount) % 2 == 0",
    "record.active == null",
    "null != record.amount",
    "record.company.name == null",
    "record.data.size.depth == null && record.data.size.width == 3",
    "old == null",
    "user.role == null && 'p1' in user.permissions",
    'record.name.matches("^A[a-z]+$")',
    "record.name.contains('poll') && record.name.indexOf('o') == 2 && record.name.lastIndexOf('o') == 5",
    "record.name.lowerAscii() == 'apollo' && record.name.substring(1, 3) == 'po'",
    "size(record.name) == 6 && size(record.tags) == 1",
    "record.due_date < date(now)",
    'record.due_date == date("2026-01-31")',
    'now - record.closed_at < duration("1h")',
    'now.getHours("Europe/Berlin") == 13 && now.getFullYear() == 2026',
    "record.people.exists(p, p.id == user.id)",
    "record.people[0].name == 'Ada'",
    "'x' in record.items && size(record.items) == 2",
    "record.data.rows.all(n, n > 0) && size(record.data.rows.filter(n, n > 1)) == 1",
    "record.secret != null && has(record.secret)",
    "record.constructor == 'c' && record['in'] == 'i'",
    "record.active || record.amount > 1",
    "record.status == null ? record.amount > 5 : false",
  ])("%s", (condition) => {
    expect(issuesOf(condition)).toEqual([]);
    expect(onCreate(condition, record)).toBe("condition");
  });
});

describe("an operand without a value", () => {
  it.each([
    "record.status == 'Open'",
    "record.status != 'Open'",
    "!record.active",
    "record.discount > 5 || record.active",
    "record.discount > 5 && record.amount > 5",
    "record.company.name.startsWith('A')",
    "record.data.size.depth > 5",
    "old.amount > 5",
    "user.role == 'r1'",
  ])("does not make %s true", (condition) => {
    expect(onCreate(condition, record)).toBeNull();
  });

  it("does not hide an operand that decides", () => {
    expect(onCreate("record.discount > 5 || record.amount > 5", record)).toBe("condition");
  });
});

it("any other error refuses the record", () => {
  expect(onCreate("record.data.rows[7] == 1", record)).toBe("error");
  expect(onCreate("1 / int(record.amount - 6) == 1", record)).toBe("error");
  expect(onCreate("record.data.size > 1", record)).toBe("error");
  expect(onCreate("record.amount > 5", { amount: "6" })).toBe("error");
});

it("a stored rule that does not compile refuses the record", () => {
  expect(onCreate("record.removed == 1", record)).toBe("error");
});

describe("the old record", () => {
  it("holds the values before an update", () => {
    const reopened = "old != null && old.status == 'Closed' && record.status != 'Closed'";
    expect(outcome(reopened, { before: { status: "Closed" }, after: { status: "Open" } })).toBe("condition");
    expect(outcome(reopened, { before: { status: "Open" }, after: { status: "Closed" } })).toBeNull();
    expect(onCreate(reopened, { status: "Open" })).toBeNull();
  });

  it("is the record itself on delete", () => {
    const before = { status: "Closed" };
    expect(outcome("record.status == 'Closed' && old.status == record.status", { before })).toBe("condition");
  });
});

describe("conditions that are refused", () => {
  it.each([
    ["record.statis == 'x'", "unknown_field", "status"],
    ["has(record.statis)", "unknown_field", "status"],
    ["old['statis'] == 'x'", "unknown_field", "status"],
    ["user.rol == 'x'", "unknown_field", "role"],
    ["recrod.name == 'x'", "unknown_name", "record"],
    ["amount > 5", "unknown_name", "record.amount"],
    ["siez(record.name) > 5", "unknown_function", "size"],
    ["record.name.contians('x')", "unknown_function", "contains"],
  ])("%s: %s, with a suggestion", (condition, type, meant) => {
    expect(issuesOf(condition)).toMatchObject([{ type, ctx: { did_you_mean: meant } }]);
  });

  it.each([
    ["record.name ==", "rule_syntax"],
    ["record.name = 'x'", "rule_syntax"],
    ["(record.name) == null", "rule_syntax"],
    ["record.name.matches('(')", "rule_syntax"],
    ["record.name.matches('a(?=b)')", "rule_syntax"],
    ["record.name > 5", "rule_type"],
    ["record.amount", "rule_type"],
    ["record.name.contains('x', 'y')", "rule_type"],
    ["record.name in [null]", "rule_type"],
    ["record.name.matches(record.body)", "rule_type"],
    ["duration(record.name) < duration('1h')", "rule_type"],
    ["record.due_date < date('2026-02-30')", "rule_type"],
    ["record.due_date < timestamp('2026-02-03')", "rule_type"],
    ["now.getHours('Europe/Nowhere') > 8", "rule_type"],
    ["record.ssn == 'x'", "rule_unsupported"],
    ["record.ssn == null", "rule_unsupported"],
    ["has(old.ssn)", "rule_unsupported"],
    ["record.secret == 'x'", "rule_type"],
    ["string(record.secret) == 'x'", "rule_type"],
    ["record.company.nmae == 'x'", "unknown_field"],
    ["record.people.exists(p, p.nmae == 'x')", "unknown_field"],
    ["{'a': 1} == {'a': 1}", "rule_too_complex"],
    ["b'a' == b'a' ", "rule_unsupported"],
    ["dyn(record.name) == 'x'", "unknown_function"],
    ["cel.bind(x, record.name, x == 'x')", "unknown_function"],
    ["_ontains('x') || nil(record.name)", "unknown_function"],
  ])("%s: %s", (condition, type) => {
    expect(issuesOf(condition)[0]?.type).toBe(type);
  });

  it("all unknown names are reported at once, each with line and column", () => {
    const issues = issuesOf("record.a > 1 &&\n  record.b > 2");
    expect(issues.map(({ ctx }) => [ctx?.line, ctx?.column])).toEqual([
      [1, 8],
      [2, 10],
    ]);
    expect(issues[1]).toMatchObject({ loc: ["body", "condition"], msg: /^Line 2, column 10: / });
  });

  it("a type error after comparisons with null has its own position", () => {
    const [issue] = issuesOf("record.name == null || record.status != null && record.name > 5");
    expect(issue?.ctx).toMatchObject({ line: 1, column: 49 });
  });
});

it("tells the fields that a condition reads", () => {
  expect([...fieldsOfCondition("record.a > 1 && old['b'] == null || has(record.c.d)")]).toEqual(["a", "b", "c"]);
  expect(fieldsOfCondition("no condition (").size).toBe(0);
});
