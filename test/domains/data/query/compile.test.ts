import * as fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { compile, matchOf, memberAccess } from "./catalog-fixture.ts";
import { issueOf, issuesOf } from "./refusal.ts";

const day = (text: string) => new Date(`${text}T00:00:00.000Z`);

describe("conditions become plain matches that can use an index", () => {
  test.each([
    ["status = 'New'", { status: "New" }],
    ["'New' = status", { status: "New" }],
    ["5 < amount", { amount: { $gt: 5 } }],
    ["status != 'New'", { status: { $nin: ["New", null] } }],
    ["NOT status = 'New'", { status: { $nin: ["New", null] } }],
    ["NOT NOT status = 'New'", { status: "New" }],
    ["amount >= 5 AND amount < 9", { amount: { $gte: 5, $lt: 9 } }],
    ["amount BETWEEN 5 AND 9", { amount: { $gte: 5, $lte: 9 } }],
    ["amount NOT BETWEEN 5 AND 9", { $or: [{ amount: { $lt: 5 } }, { amount: { $gt: 9 } }] }],
    ["amount BETWEEN NULL AND 9", { _id: { $in: [] } }],
    ["amount NOT BETWEEN NULL AND 9", { amount: { $gt: 9 } }],
    ["status IN ('a', 'b')", { status: { $in: ["a", "b"] } }],
    ["status IN ('a')", { status: "a" }],
    ["status IN ('a', NULL)", { status: "a" }],
    ["status NOT IN ('a', 'b')", { status: { $nin: ["a", "b", null] } }],
    ["status NOT IN ('a', NULL)", { _id: { $in: [] } }],
    ["status IS NULL", { status: null }],
    ["NOT status IS NULL", { status: { $ne: null } }],
    ["status = NULL", { _id: { $in: [] } }],
    ["NOT status = NULL", { _id: { $in: [] } }],
    ["status = NULL OR amount = 1", { amount: 1 }],
    [
      "NOT (status = 'a' AND amount = 1)",
      { $or: [{ status: { $nin: ["a", null] } }, { amount: { $nin: [1, null] } }] },
    ],
    ["NOT (status = 'a' OR amount > 1)", { status: { $nin: ["a", null] }, amount: { $lte: 1 } }],
    ["status = 'a' AND status = 'b'", { $and: [{ status: "a" }, { status: "b" }] }],
    [
      "(status = 'a' OR status = 'b') AND (amount = 1 OR amount = 2)",
      { $and: [{ $or: [{ status: "a" }, { status: "b" }] }, { $or: [{ amount: 1 }, { amount: 2 }] }] },
    ],
    ["1 = 2", { _id: { $in: [] } }],
    ["id = 'x'", { _id: "x" }],
    ["company = 'c'", { "company.id": "c" }],
    ["company.id = 'c'", { "company.id": "c" }],
    ["company.name = 'Acme'", { "company.name": "Acme" }],
    ["lead.company.name = 'Acme'", { "company.name": "Acme" }],
    ["related_to.schema = 'lead'", { "related_to.schema": "lead" }],
    ["owner = ME", { "owner.id": "user-1" }],
    ["watchers = ME", { "watchers.id": "user-1" }],
    ["id = ME", { _id: "user-1" }],
    ["tags = 'a'", { tags: "a" }],
    ["tags != 'a'", { tags: { $ne: "a" }, "tags.0": { $exists: true } }],
    ["tags NOT IN ('a', 'b')", { tags: { $nin: ["a", "b"] }, "tags.0": { $exists: true } }],
    ["watchers != ME", { "watchers.id": { $ne: "user-1" }, "watchers.0": { $exists: true } }],
    ["tags IS NULL", { "tags.0": { $exists: false } }],
    ["active = 'TRUE'", { active: true }],
    ["amount = '42'", { amount: 42 }],
    ["amount = score", { amount: { $ne: null }, score: { $ne: null }, $expr: { $eq: ["$amount", "$score"] } }],
  ])("%s", (condition, match) => expect(matchOf(condition)).toEqual(match));

  it("a condition that is always true becomes no match", () => {
    const { pipeline } = compile("SELECT id FROM lead WHERE 1 = 1");
    expect(pipeline[0]).toHaveProperty("$sort");
    expect(pipeline.filter((stage) => "$match" in stage)).toEqual([]);
  });
});

describe("LIKE", () => {
  const regexOf = (pattern: string) => matchOf(`name LIKE '${pattern}'`)?.name.$regex;
  test.each([
    ["abc", "^abc\\z"],
    ["abc%", "^abc"],
    ["%abc", "abc\\z"],
    ["%abc%", "abc"],
    ["a%b", "^a.*b\\z"],
    ["%a%_b%", "^(?>.*?a)(?>.*?.b)"],
    ["a%b%c%d", "^a(?>.*?b)(?>.*?c).*d\\z"],
    ["a_c", "^a.c\\z"],
    ["50\\%", "^50%\\z"],
    ["a\\_b\\\\", "^a_b\\\\\\z"],
    ["a.c*(", "^a\\.c\\*\\(\\z"],
  ])("%s", (pattern, regex) => expect(regexOf(pattern)).toBe(regex));

  it("with only % matches everything but NULL", () => {
    expect(matchOf("name LIKE '%%'")).toEqual({ name: { $ne: null } });
    expect(matchOf("name NOT LIKE '%'")).toEqual({ _id: { $in: [] } });
  });
});

describe("dates in conditions", () => {
  const range = (from: string, to: string) => ({ created_date: { $gte: day(from), $lt: day(to) } });
  test.each([
    ["created_date = '2026-03-01'", range("2026-03-01", "2026-03-02")],
    ["created_date = today", range("2026-03-18", "2026-03-19")],
    ["created_date = yesterday", range("2026-03-17", "2026-03-18")],
    ["created_date = this_week", range("2026-03-16", "2026-03-23")],
    ["created_date = last_month", range("2026-02-01", "2026-03-01")],
    ["created_date = next_quarter", range("2026-04-01", "2026-07-01")],
    ["created_date = this_year", range("2026-01-01", "2027-01-01")],
    ["created_date = last_n_days:30", range("2026-02-16", "2026-03-19")],
    ["created_date = next_n_days:7", range("2026-03-19", "2026-03-26")],
    ["created_date = n_days_ago:3", range("2026-03-15", "2026-03-16")],
    ["created_date = last_n_months:2", range("2026-01-01", "2026-03-01")],
    ["created_date = next_n_months:2", range("2026-04-01", "2026-06-01")],
    ["created_date BETWEEN '2026-03-01' AND '2026-03-31'", range("2026-03-01", "2026-04-01")],
    [
      "created_date != today",
      { $or: [{ created_date: { $lt: day("2026-03-18") } }, { created_date: { $gte: day("2026-03-19") } }] },
    ],
    ["created_date < today", { created_date: { $lt: day("2026-03-18") } }],
    ["created_date <= today", { created_date: { $lt: day("2026-03-19") } }],
    ["created_date > today", { created_date: { $gte: day("2026-03-19") } }],
    ["created_date >= today", { created_date: { $gte: day("2026-03-18") } }],
    ["created_date > now", { created_date: { $gt: new Date("2026-03-18T10:30:00.000Z") } }],
    [
      "created_date IN (today, '2026-03-01')",
      { $or: [range("2026-03-18", "2026-03-19"), range("2026-03-01", "2026-03-02")] },
    ],
    ["created_date = '2026-03-01T10:00:00+02:00'", { created_date: new Date("2026-03-01T08:00:00.000Z") }],
    ["created_date = 2026-03-01T10:00:00.123456Z", { created_date: new Date("2026-03-01T10:00:00.123Z") }],
    ["due = '2026-03-01'", { due: "2026-03-01" }],
    ["due = this_month", { due: { $gte: "2026-03-01", $lt: "2026-04-01" } }],
    ["due <= today", { due: { $lt: "2026-03-19" } }],
    ["due = now", { due: "2026-03-18" }],
  ])("%s", (condition, match) => expect(matchOf(condition)).toEqual(match));

  it("begin in the given time zone, also across a clock change", () => {
    const berlin = { timeZone: "Europe/Berlin", now: new Date("2026-03-29T22:30:00.000Z") };
    expect(matchOf("created_date = today", berlin)).toEqual({
      created_date: { $gte: new Date("2026-03-29T22:00:00.000Z"), $lt: new Date("2026-03-30T22:00:00.000Z") },
    });
    expect(matchOf("created_date = '2026-03-29'", berlin)).toEqual({
      created_date: { $gte: new Date("2026-03-28T23:00:00.000Z"), $lt: new Date("2026-03-29T22:00:00.000Z") },
    });
    expect(matchOf("created_date = '2026-07-01T12:00:00'", berlin)).toEqual({
      created_date: new Date("2026-07-01T10:00:00.000Z"),
    });
  });

  it("begin at the first instant of a day without midnight", () => {
    const beirut = { timeZone: "Asia/Beirut", now: new Date("2026-03-29T12:00:00.000Z") };
    expect(matchOf("created_date >= today", beirut)).toEqual({
      created_date: { $gte: new Date("2026-03-28T22:00:00.000Z") },
    });
  });
});

describe("columns of a result", () => {
  const columns = (text: string) => compile(text).headers.map((header) => header.api_name);
  it("have their alias or their text as key", () => {
    expect(
      columns("SELECT name, l.status AS s, company.name, COUNT(*) FROM lead l GROUP BY name, status, company.name"),
    ).toEqual(["name", "s", "company.name", "COUNT(*)"]);
    expect(columns("SELECT Contact.name FROM company JOIN contact ON company.id = contact.company")).toEqual([
      "contact.name",
    ]);
  });
  it("of * are the first object's fields, and of object.* those of the object with its name", () => {
    expect(columns("SELECT *, contact.* FROM company JOIN contact ON contact.company = company.id")).toEqual([
      ...["id", "created_date", "owner", "name", "industry", "employees", "parent"],
      ...["id", "created_date", "owner", "name", "title", "company"].map((name) => `contact.${name}`),
    ]);
  });
  it("have the label, type and format of their field", () => {
    expect(compile("SELECT created_date, amount AS Total FROM lead").headers).toEqual([
      { api_name: "created_date", label: "created date", type: "string", format: "date-time" },
      { api_name: "Total", label: "Total", type: "number", format: "currency" },
    ]);
  });
  it("occur once if they are equal, and are refused if two have one name", () => {
    expect(columns("SELECT name, name, * FROM company")).toEqual([
      "name",
      "id",
      "created_date",
      "owner",
      "industry",
      "employees",
      "parent",
    ]);
    expect(issueOf(() => compile("SELECT name, status AS name FROM lead")).type).toBe("query_structure");
  });
});

describe("the pipeline of a query on one object", () => {
  it("matches, sorts and pages before it projects, and reads only needed fields", () => {
    expect(
      compile("SELECT name FROM lead WHERE status = 'New' ORDER BY amount DESC, name LIMIT 5 OFFSET 10").pipeline,
    ).toEqual([
      { $match: { status: "New" } },
      { $sort: { amount: -1, name: 1, _id: 1 } },
      { $skip: 10 },
      { $limit: 5 },
      { $project: { _id: 0, name: 1 } },
    ]);
  });
  it("reads one row more than the limit without LIMIT", () => {
    const { pipeline, rowLimit } = compile("SELECT name FROM lead");
    expect(pipeline.slice(0, 2)).toEqual([{ $sort: { _id: 1 } }, { $limit: 10_001 }]);
    expect(rowLimit).toBe(10_000);
  });
  it("sorts lookups by their id", () => {
    expect(compile("SELECT name FROM lead ORDER BY company, id DESC").pipeline[0]).toEqual({
      $sort: { "company.id": 1, _id: -1 },
    });
  });
});

describe("the pipeline of a join", () => {
  const stagesOf = (text: string) => compile(text).pipeline.map((stage) => Object.keys(stage)[0]);
  it("is paged first if the join cannot add or remove rows", () => {
    const text = "SELECT l.name, c.name FROM lead l LEFT JOIN company c ON c.id = l.company ORDER BY l.name LIMIT 5";
    expect(stagesOf(text)).toEqual(["$sort", "$limit", "$lookup", "$unwind", "$project"]);
    expect(compile(text).pipeline[0]).toEqual({ $sort: { name: 1, _id: 1 } });
  });
  it.each([
    "SELECT l.name FROM lead l JOIN company c ON c.id = l.company LIMIT 5",
    "SELECT c.name FROM company c LEFT JOIN lead l ON l.company = c.id LIMIT 5",
    "SELECT l.name FROM lead l LEFT JOIN company c ON c.id = l.watchers LIMIT 5",
    "SELECT l.name FROM lead l LEFT JOIN company c ON c.id = l.company ORDER BY c.name LIMIT 5",
    "SELECT l.name FROM lead l LEFT JOIN company c ON c.id = l.company WHERE c.name IS NULL LIMIT 5",
  ])("cuts it last for %s", (text) =>
    expect(stagesOf(text).lastIndexOf("$limit")).toBeGreaterThan(stagesOf(text).indexOf("$unwind")),
  );
  it("tests conditions on one object before or inside its lookup, and reads only needed fields", () => {
    const { pipeline } = compile(
      "SELECT l.name FROM company c JOIN lead l ON l.company = c.id AND l.amount > 5 WHERE c.industry = 'x' AND l.status = 'New'",
    );
    expect(pipeline[0]).toEqual({ $match: { industry: "x" } });
    expect(pipeline[1]?.$lookup).toEqual({
      from: "lead",
      localField: "_id",
      foreignField: "company.id",
      pipeline: [
        { $match: { "company.id": { $ne: null }, amount: { $gt: 5 }, status: "New" } },
        { $project: { _id: 1, company: 1, amount: 1, status: 1, name: 1 } },
      ],
      as: "__1",
    });
  });
  it("tests the outer side of a LEFT JOIN only after it", () => {
    const { pipeline } = compile("SELECT c.id FROM company c LEFT JOIN lead l ON l.company = c.id WHERE l.id IS NULL");
    expect(pipeline[2]).toEqual({ $match: { "__1._id": null } });
  });
});

describe("an object or field that the caller may not see", () => {
  const refusal = (text: string) => issueOf(() => compile(text, { access: memberAccess }));
  it("gives the same errors as one that does not exist", () => {
    const blind = (text: string, name: string) => JSON.stringify(refusal(text)).replaceAll(name, "?");
    expect(blind("SELECT secret FROM lead", "secret")).toBe(blind("SELECT nosuch FROM lead", "nosuch"));
    expect(blind("SELECT id FROM vault", "vault")).toBe(blind("SELECT id FROM nosuc", "nosuc"));
    expect(blind("SELECT id FROM lead WHERE secret = 'x'", "secret")).toBe(
      blind("SELECT id FROM lead WHERE nosuch = 'x'", "nosuch"),
    );
    expect(blind("SELECT id FROM lead JOIN vault ON vault.id = lead.id", "vault")).toBe(
      blind("SELECT id FROM lead JOIN nosuc ON nosuc.id = lead.id", "nosuc"),
    );
  });
  it("is never suggested", () => {
    expect(refusal("SELECT secre FROM lead").ctx).not.toHaveProperty("did_you_mean");
    expect(refusal("SELECT id FROM vaul").ctx).not.toHaveProperty("did_you_mean");
    expect(issueOf(() => compile("SELECT secre FROM lead")).ctx).toHaveProperty("did_you_mean", "secret");
  });
  it("is left out of *", () => {
    const { headers, pipeline } = compile("SELECT * FROM lead", { access: memberAccess });
    expect(headers.map((header) => header.api_name)).not.toContain("secret");
    expect(JSON.stringify(pipeline)).not.toContain("secret");
  });
  it("is filtered first in every collection, also in joined ones", () => {
    const { pipeline } = compile(
      "SELECT c.name, p.name FROM company c JOIN company p ON p.id = c.parent WHERE c.region = 'us' OR 1 = 1".replace(
        "c.region = 'us'",
        "c.name = 'x'",
      ),
      { access: memberAccess },
    );
    expect(pipeline[0]).toEqual({ $match: { region: "eu" } });
    expect(pipeline.find((stage) => "$lookup" in stage)?.$lookup.pipeline[0]).toEqual({ $match: { region: "eu" } });
  });
  it("cannot be reached by a condition on the same field", () => {
    const { pipeline } = compile("SELECT id FROM company WHERE name = 'x'", {
      access: { ...memberAccess, filter: () => ({ name: "own" }) },
    });
    expect(pipeline[0]).toEqual({ $match: { $and: [{ name: "own" }, { name: "x" }] } });
  });
});

describe("errors of a query", () => {
  test.each([
    ["SELECT statu FROM lead", "unknown_field", 8, "There is no field statu in lead. Did you mean status?"],
    ["SELECT id FROM leed", "unknown_object", 16, "There is no object leed. Did you mean lead?"],
    ["SELECT x.name FROM lead", "unknown_field", 8, "Neither an object of this query nor a field of lead is called x."],
    ["SELECT x.* FROM lead", "unknown_object", 8, "x is no object of this query."],
    [
      "SELECT company.industry FROM lead",
      "unknown_field",
      8,
      "Of the lookup company only id, name and schema are at hand, not company.industry. For more, JOIN company ON company.id = lead.company.",
    ],
    ["SELECT status.id FROM lead", "unknown_field", 8, "status has no parts, so there is no status.id."],
    ["SELECT constructor FROM lead", "unknown_field", 8, "There is no field constructor in lead."],
    ["SELECT `$where` FROM lead", "unknown_field", 8, "There is no field $where in lead."],
    [
      "SELECT `company.id` FROM lead",
      "unknown_field",
      8,
      "There is no field company.id in lead. Did you mean company?",
    ],
    ["SELECT id FROM lead WHERE amount = 'x'", "query_type", 36, "amount is a number, which 'x' is not."],
    ["SELECT id FROM lead WHERE name = 5", "query_type", 34, "name is text, which 5 is not. Put it in quotes: '5'."],
    ["SELECT id FROM lead WHERE active = 1", "query_type", 36, "active is TRUE or FALSE, which 1 is not."],
    [
      "SELECT id FROM lead WHERE due = '2026-02-30'",
      "query_type",
      33,
      "due is a date, which '2026-02-30' is not. Write '2026-01-31' or a relative date such as this_month.",
    ],
    [
      "SELECT id FROM lead WHERE created_date = '2026-01-01T25:00:00Z'",
      "query_type",
      42,
      "created_date is a date-time, which '2026-01-01T25:00:00Z' is not. Write '2026-01-31', '2026-01-31T09:30:00Z' or a relative date such as last_n_days:30.",
    ],
    ["SELECT id FROM lead WHERE name = ME", "query_type", 34, "name is text, which ME is not."],
    [
      "SELECT id FROM lead WHERE tags > 'a'",
      "query_type",
      27,
      "tags has several values, which have no order; use =, != or IN.",
    ],
    [
      "SELECT id FROM lead WHERE settings = 'a'",
      "query_type",
      27,
      "settings is JSON, which can only be tested by IS NULL and IS NOT NULL.",
    ],
    ["SELECT id FROM lead WHERE amount LIKE '1%'", "query_type", 27, "LIKE needs text, which amount is not."],
    [
      "SELECT id FROM lead WHERE company LIKE 'A%'",
      "query_type",
      27,
      "LIKE needs text; use company.name LIKE … for the name of the lookup.",
    ],
    [
      "SELECT id FROM lead WHERE name LIKE 'a\\'",
      "query_type",
      37,
      "The pattern ends in a backslash; write \\\\ for a backslash itself.",
    ],
    [
      "SELECT id FROM lead WHERE name = amount",
      "query_type",
      27,
      "name (text) and amount (number) cannot be compared.",
    ],
    [
      "SELECT id FROM lead WHERE COUNT(*) > 1",
      "query_structure",
      27,
      "COUNT cannot stand here; conditions on aggregates belong to HAVING.",
    ],
    [
      "SELECT name, COUNT(*) FROM lead",
      "query_structure",
      8,
      "name must stand in GROUP BY or inside an aggregate such as MAX(name).",
    ],
    [
      "SELECT * FROM lead GROUP BY name",
      "query_structure",
      8,
      "* cannot stand beside aggregates or GROUP BY; name the fields.",
    ],
    ["SELECT SUM(name) FROM lead", "query_type", 8, "SUM needs a number, which name is not."],
    [
      "SELECT DISTINCT name FROM lead ORDER BY status",
      "query_structure",
      41,
      "With DISTINCT the rows can only be ordered by selected columns, which status is not.",
    ],
    ["SELECT id FROM lead ORDER BY tags", "query_type", 30, "tags cannot be ordered by: it has no single value."],
    [
      "SELECT lead.id FROM lead JOIN lead ON lead.id = lead.company",
      "query_structure",
      31,
      "Two objects of this query are called lead; give one an alias: JOIN lead AS other.",
    ],
    [
      "SELECT lead.id FROM lead JOIN company ON company.id > lead.company",
      "query_structure",
      42,
      "ON must say which field of company equals which field of an object before it, as in lead.id = company.lead.",
    ],
    [
      "SELECT title FROM company JOIN contact a ON a.company = company.id JOIN contact b ON b.company = company.id",
      "ambiguous_field",
      8,
      "Several objects have the field title.",
    ],
  ])("%s", (text, type, column, sentence) => {
    const issue = issueOf(() => compile(text));
    expect(issue).toMatchObject({ type, msg: `Line 1, column ${column}: ${sentence}`, ctx: { line: 1, column } });
  });

  it("are reported together, in the order of the text", () => {
    expect(
      issuesOf(() => compile("SELECT a, b FROM lead WHERE c = 1 AND amount = 'x' ORDER BY d")).map(
        (issue) => issue.ctx?.column,
      ),
    ).toEqual([8, 11, 29, 48, 61]);
  });
});

describe("a caller's text never becomes an operator", () => {
  /** All keys, and all strings at positions where MongoDB expects an expression. */
  const operators = (value: unknown, found = new Set<string>()): Set<string> => {
    if (Array.isArray(value)) for (const item of value) operators(item, found);
    else if (typeof value === "object" && value !== null && !(value instanceof Date)) {
      for (const [key, item] of Object.entries(value)) {
        if (key.startsWith("$")) found.add(key);
        operators(item, found);
      }
    }
    return found;
  };
  const known = new Set("$match $sort $limit $project $in $nin $ne $or $and $regex $options $not $exists".split(" "));

  it("in strings, aliases and names", () => {
    const hostile = fc.oneof(
      fc.constantFrom("$$ROOT", "$name", "$where", "{$gt: 1}", "__proto__", "constructor", "a.b", "_id", "$"),
      fc.string({ unit: "grapheme" }),
    );
    fc.assert(
      fc.property(hostile, hostile, hostile, (value, alias, name) => {
        const text = `'${value.replaceAll("'", "''")}'`;
        const quoted = (raw: string) => `\`${raw.replaceAll("`", "``") || "x"}\``;
        const condition = `name = ${text} OR name IN (${text}, 'a') OR name != ${text} OR tags = ${text} OR company = ${text}`;
        if (alias === "__proto__") return;
        const compiled = compile(`SELECT name AS ${quoted(alias)} FROM lead WHERE ${condition}`);
        for (const operator of operators(compiled.pipeline)) expect(known).toContain(operator);
        const projected = compiled.pipeline.at(-1)?.$project;
        expect(projected).toEqual({ _id: 0, name: 1 });
        expect(compiled.pipeline[0]?.$match.$or[0]).toEqual({ name: value });
        if (!["name", "status", "id", "tags"].includes(name)) {
          expect(issueOf(() => compile(`SELECT id FROM lead WHERE ${quoted(name)} = 'a'`)).type).toMatch(/./);
        }
      }),
      { numRuns: 500 },
    );
  });
});
