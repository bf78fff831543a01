import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { phoneReader } from "#shared/data/schema/phones/phones";
import type { Field } from "#shared/data/schema/schema";
import { fieldValue } from "#shared/data/schema/values/field-value";
import { newValidationReport } from "#shared/data/schema/values/validation";

type Spec = Partial<Field> & Pick<Field, "type">;

const check = (spec: Spec, value: unknown) => {
  const report = newValidationReport({ phones: phoneReader("DE") });
  const field: Field = { api_name: "f", name: "F", required: false, ...spec };
  const stored = fieldValue(value, field, { report, at: ["body", "f"], secret: false });
  return { stored, issues: report.issues, references: report.references };
};

const accepts = (spec: Spec, value: unknown, stored: unknown = value): void =>
  expect(check(spec, value)).toMatchObject({ stored, issues: [] });

const refuses = (spec: Spec, value: unknown, type?: string): void => {
  const { issues } = check(spec, value);
  expect(issues.map((issue) => issue.type)).toEqual([type ?? expect.any(String)]);
};

const text = (format: Field["format"]): Spec => ({ type: "string", format });

const good: [Field["format"], string[]][] = [
  ["email", ["ada@example.com", "a.b+c@sub.example.co.uk"]],
  ["phone", ["+14155550100", "+4930123456", "+4930123456;ext=12", "+80012345678", "+6834000"]],
  ["url", ["https://example.com", "http://localhost:3000/a?b=c#d", "HTTPS://EXAMPLE.COM/ü"]],
  ["date", ["2024-02-29", "1999-12-31"]],
  ["enum", ["anything"]],
  ["markdown", ["# Hello"]],
];

const bad: [Field["format"], string[]][] = [
  ["email", ["", "ada", "ada@", "@example.com", "a b@example.com", "a@b..com", `${"a".repeat(250)}@example.com`]],
  ["phone", ["", "12", "112", "call me", "+1 415 555 0100; DROP", "1234567890123456", "++49", "+999 123456"]],
  ["url", ["", "example.com", "ftp://example.com", "javascript:alert(1)", "https://", "https://exa mple.com"]],
  ["date", ["2023-02-29", "2024-13-01", "2024-1-1", "24-01-01", "2024-01-01T00:00:00Z", "today"]],
  ["time", ["24:00", "9:30", "09:60", "noon", "09:30Z"]],
  ["date-time", ["2024-01-01", "2024-01-01T10:00:00", "2024-02-30T10:00:00Z", "2024-01-01 10:00:00Z", "1700000000"]],
  ["date-time", ["2024-01-01T10:00:00+24:00", "2024-01-01T10:00:00+02", "2024-01-01T24:00:00Z"]],
  [
    "date-time",
    ["2016-12-31T23:59:60Z", "0000-01-01T00:00:00+00:01", "9999-12-31T23:59:00-00:01", "10000-01-01T00:00Z"],
  ],
];

describe("the text of a format", () => {
  it.each(good)("%s is stored unchanged", (format, values) => {
    for (const value of values) accepts(text(format), value);
  });

  it.each(bad)("%s is refused if invalid", (format, values) => {
    for (const value of values) refuses(text(format), value);
  });

  it.each([
    ["2024-01-01T10:00:00Z", "2024-01-01T10:00:00.000Z"],
    ["2024-01-01T10:00:00.5+02:00", "2024-01-01T08:00:00.500Z"],
    ["2024-01-01T10:00:00.123456789-0130", "2024-01-01T11:30:00.123Z"],
    ["2024-02-29T23:59Z", "2024-02-29T23:59:00.000Z"],
    ["2024-01-01T00:00:00+14:00", "2023-12-31T10:00:00.000Z"],
    ["2024-01-01T00:00:00-00:00", "2024-01-01T00:00:00.000Z"],
    ["0000-01-01T00:00:00Z", "0000-01-01T00:00:00.000Z"],
    ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"],
  ])("date-time %s is stored as that instant", (value, instant) => {
    accepts(text("date-time"), value, new Date(instant));
  });

  it.each([
    ["Ada@Example.COM", "ada@example.com"],
    ["  ada@example.com\n", "ada@example.com"],
  ])("email %j is stored trimmed and in lower case", (value, stored) => {
    accepts(text("email"), value, stored);
  });

  it.each([
    ["+49 30 123456", "+4930123456"],
    ["030 / 12 34-56", "+4930123456"],
    ["+49 (0)30 1234567", "+49301234567"],
    ["0049 30 123456", "+4930123456"],
    ["+1 (415) 555-0100", "+14155550100"],
    ["+39 06 1234567", "+39061234567"],
    ["\u202a+49 30 123456\u202c ", "+4930123456"],
    ["+49.30.123456 ext. 12", "+4930123456;ext=12"],
    ["030 123456 x12", "+4930123456;ext=12"],
  ])("phone %j is stored in E.164, with its extension", (value, stored) => {
    accepts(text("phone"), value, stored);
    accepts(text("phone"), stored, stored);
  });

  it("phone is accepted in its stored form alone where no numbering plans are loaded, as in defaults", () => {
    const field: Field = { api_name: "f", name: "F", required: false, ...text("phone") };
    const values = ["+4930123456", "+4930123456;ext=12", "+49 30 123456", "030 123456", "+49", "+0301234567"];
    const stored = values.map((value) =>
      fieldValue(value, field, { report: newValidationReport(), at: [], secret: false }),
    );
    expect(stored).toEqual(["+4930123456", "+4930123456;ext=12", undefined, undefined, undefined, undefined]);
  });

  it.each([
    ["09:30", "09:30:00"],
    ["09:30:15", "09:30:15"],
    ["09:30:15.5", "09:30:15.500"],
  ])("time %s is stored so that equal times are equal texts", (value, stored) => {
    accepts(text("time"), value, stored);
  });

  it("accepts every date-time that JavaScript prints, to the millisecond", () => {
    const instants = fc.date({ min: new Date(0), max: new Date("9999-12-31T23:59:59.999Z"), noInvalidDate: true });
    fc.assert(
      fc.property(instants, (instant) => {
        accepts(text("date-time"), instant.toISOString(), instant);
      }),
    );
  });

  it("accepts exactly the calendar days", () => {
    const parts = fc.tuple(
      fc.integer({ min: 1, max: 9999 }),
      fc.integer({ min: 0, max: 13 }),
      fc.integer({ min: 0, max: 32 }),
    );
    fc.assert(
      fc.property(parts, ([year, month, day]) => {
        const value = [
          String(year).padStart(4, "0"),
          String(month).padStart(2, "0"),
          String(day).padStart(2, "0"),
        ].join("-");
        const date = new Date(0);
        date.setUTCFullYear(year, month - 1, day);
        const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
        expect(check(text("date"), value).issues.length === 0).toBe(exists);
      }),
    );
  });

  it("is refused if it is no text, too long or malformed Unicode", () => {
    for (const value of [1, true, {}, [], { $gt: "" }]) refuses(text("email"), value, "string_type");
    refuses({ type: "string" }, "x".repeat(65_537), "too_long");
    accepts(text("html"), "x".repeat(65_537));
    refuses({ type: "string" }, "\ud800", "unicode");
  });
});

describe("a choice field", () => {
  const status: Spec = { type: "string", format: "enum", values: ["New", "Won"] };

  it("accepts any text unless the field is restricted", () => {
    accepts(status, "Lost");
    refuses({ ...status, restricted: true }, "Lost", "enum");
    accepts({ ...status, restricted: true }, "Won");
  });

  it("stores each of several values once", () => {
    const tags: Spec = { type: "list", format: "multi-select", values: ["a", "b"], restricted: true };
    accepts(tags, ["b", "a", "b"], ["b", "a"]);
    refuses(tags, ["c"], "enum");
    refuses(tags, "a", "array_type");
  });
});

describe("a number field", () => {
  it("accepts finite doubles, and only exact integers", () => {
    for (const value of [0, -1.5, 1e-9, Number.MAX_SAFE_INTEGER])
      accepts({ type: "number", format: "currency" }, value);
    for (const value of [Number.POSITIVE_INFINITY, 2 ** 53, -1e300]) refuses({ type: "number" }, value, "number");
    for (const value of ["1", null, true, Number.NaN])
      refuses({ type: "number", format: "percent" }, value, "number_type");
  });

  it("stores -0 as 0", () => {
    expect(Object.is(check({ type: "number" }, -0).stored, 0)).toBe(true);
  });
});

describe("a boolean field", () => {
  it("accepts only true and false", () => {
    accepts({ type: "boolean" }, false);
    for (const value of ["true", 1, 0, ""]) refuses({ type: "boolean" }, value, "boolean_type");
  });
});

describe("a reference field", () => {
  const company: Spec = { type: "json", format: "lookup", schema: "company" };

  it("accepts an id, an object, or the value of a reply", () => {
    for (const value of ["c1", { id: "c1" }, { id: "c1", schema: "company", name: "forged" }]) {
      accepts(company, value, { id: "c1", schema: "company", name: null });
    }
  });

  it("is refused if it is ambiguous", () => {
    for (const value of [1, "", {}, { id: { $ne: null } }, ["c1"], { id: "c1", $where: "1" }]) refuses(company, value);
    refuses(company, { id: "c1", schema: "contact" }, "reference");
  });

  it("requires the schema if it may refer to any object", () => {
    const relatedTo: Spec = { type: "json", format: "compound_lookup" };
    accepts(relatedTo, { id: "x", schema: "Lead" }, { id: "x", schema: "lead", name: null });
    refuses(relatedTo, "x", "reference");
    refuses(relatedTo, { id: "x" }, "reference");
  });

  it("stores each reference of a list once", () => {
    const { stored, references } = check({ type: "list", format: "lookup_list", schema: "contact" }, [
      "a",
      { id: "b" },
      "a",
    ]);
    expect(stored).toEqual([
      { id: "a", schema: "contact", name: null },
      { id: "b", schema: "contact", name: null },
    ]);
    expect(references.map(({ reference }) => reference.id)).toEqual(expect.arrayContaining(["a", "b"]));
  });
});

describe("an address field", () => {
  it("accepts only known lines", () => {
    accepts(
      { type: "json", format: "address" },
      { street: "1 Main St", city: "Rome", latitude: 41.9, longitude: 12.5 },
    );
    accepts({ type: "json", format: "address" }, { city: null }, {});
    refuses({ type: "json", format: "address" }, { planet: "Mars" }, "extra_forbidden");
    refuses({ type: "json", format: "address" }, { latitude: 91 }, "number_type");
    refuses({ type: "json", format: "address" }, "1 Main St", "object_type");
  });
});

describe("a JSON field", () => {
  const json: Spec = { type: "json", format: "json" };

  it("is stored unchanged if every key is harmless", () => {
    const key = fc.string({ minLength: 1 }).filter((text) => !/^\$|[.\0]/.test(text) && text !== "__proto__");
    const value = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 6 },
        fc.string(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie("node"), { maxLength: 4 }),
        fc.dictionary(key, tie("node"), { maxKeys: 4 }),
      ),
    })).node;
    fc.assert(
      fc.property(value, (sent) => {
        const { stored, issues } = check(json, sent);
        expect(issues).toEqual([]);
        expect(stored).toStrictEqual(sent);
      }),
    );
  });

  it.each(["$where", "a.b", "a\0b", "__proto__", ""])("is refused with the key %j at any depth", (key) => {
    const poisoned = JSON.parse(`{"a":[{"b":{${JSON.stringify(key)}:1}}]}`);
    const { issues } = check(json, poisoned);
    expect(issues).toMatchObject([{ loc: ["body", "f", "a", 0, "b", key], type: "key" }]);
    refuses({ type: "list" }, [poisoned], "key");
  });

  it("is refused if it is too deep or too large", () => {
    let deep: unknown = 1;
    for (let level = 0; level < 21; level += 1) deep = [deep];
    refuses(json, deep, "too_deep");
    refuses(
      json,
      Array.from({ length: 20_001 }, () => 0),
      "too_big",
    );
    refuses(
      { type: "list" },
      Array.from({ length: 1_001 }, () => 0),
      "too_big",
    );
  });
});

describe("shared_with", () => {
  const shared: Spec = { type: "list", api_name: "shared_with", system: true };

  it("has users, each once, and their access", () => {
    accepts(
      shared,
      [{ user: "u1", access: "read" }],
      [{ user: { id: "u1", schema: "user", name: null }, access: "read" }],
    );
    refuses(shared, [{ user: "u1", access: "own" }], "enum");
    refuses(shared, [{ user: "u1", access: "read", more: 1 }], "object_type");
    refuses(
      shared,
      [
        { user: "u1", access: "read" },
        { user: { id: "u1" }, access: "edit" },
      ],
      "duplicate",
    );
  });
});

describe("any value that a caller sends", () => {
  const specs: Spec[] = [
    ...(["email", "phone", "url", "date", "date-time", "time", "enum", "html"] as const).map(text),
    { type: "number" },
    { type: "boolean" },
    { type: "list" },
    { type: "json" },
    { type: "json", format: "address" },
    { type: "json", format: "lookup", schema: "company" },
    { type: "json", format: "compound_lookup" },
    { type: "list", format: "multi-select", values: ["a"] },
    { type: "list", format: "lookup_list", schema: "company" },
    { type: "list", api_name: "shared_with", system: true },
  ];

  it("is accepted or refused with path and reason, and never becomes an operator", () => {
    const values = fc.oneof(fc.jsonValue(), fc.constant({ $gt: "" }), fc.constant([{ $ne: 1 }]));
    fc.assert(
      fc.property(fc.constantFrom(...specs), values, (spec, value) => {
        const { stored, issues } = check(spec, value);
        for (const issue of issues) expect(issue).toMatchObject({ loc: expect.arrayContaining(["body", "f"]) });
        if (issues.length === 0) expect(JSON.stringify(stored) ?? "").not.toMatch(/"\$[a-z]+":/);
      }),
    );
  });
});
