import * as fc from "fast-check";
import type { Document } from "mongodb";

const maybe = <T>(...values: T[]) => fc.constantFrom<T | null | undefined>(...values, null, undefined);
const reference = (schema: string, ...ids: string[]) =>
  fc.constantFrom(...ids, null, undefined).map((id) => id && { id, schema, name: `${schema} ${id}` });

const table = (
  prefix: string,
  count: number,
  fields: Record<string, fc.Arbitrary<unknown>>,
  seed: number,
): Document[] =>
  fc.sample(fc.record(fields), { numRuns: count, seed }).map((record, index) => ({
    _id: `${prefix}${index}`,
    id: `${prefix}${index}`,
    ...Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)),
  }));

const companies = ["c0", "c1", "c2", "c3", "c9"];

/** Few enough records for nested loops, and similar enough for joins, ties and NULLs. */
export const tables: Readonly<Record<string, Document[]>> = {
  company: table(
    "c",
    7,
    {
      name: maybe("a", "b"),
      industry: maybe("x", "y"),
      employees: maybe(1, 2, 3),
      parent: reference("company", ...companies),
    },
    1,
  ),
  contact: table(
    "k",
    14,
    { name: maybe("a", "b", "c"), title: maybe("x", "y"), company: reference("company", ...companies) },
    2,
  ),
  lead: table(
    "l",
    12,
    {
      name: maybe("a", "b"),
      status: maybe("x", "y"),
      amount: maybe(1, 2, 5),
      score: maybe(1, 2),
      company: reference("company", ...companies),
    },
    3,
  ),
};

interface Shape {
  readonly from: string;
  /** Source → its text and numeric fields. */
  readonly sources: Readonly<
    Record<
      string,
      { readonly text: readonly string[]; readonly number: readonly string[]; readonly lookup: readonly string[] }
    >
  >;
}

const company = { text: ["id", "name", "industry"], number: ["employees"], lookup: ["parent"] };
const contact = { text: ["id", "name", "title"], number: [], lookup: ["company"] };
const lead = { text: ["id", "name", "status"], number: ["amount", "score"], lookup: ["company"] };

const shape = fc
  .tuple(fc.constantFrom("JOIN", "LEFT JOIN"), fc.constantFrom("JOIN", "LEFT JOIN"), fc.nat(7))
  .map(([first, second, pick]): Shape => {
    const shapes: Shape[] = [
      { from: "lead", sources: { lead } },
      { from: `company ${first} contact ON company.id = contact.company`, sources: { company, contact } },
      { from: `contact ${first} company ON company.id = contact.company`, sources: { contact, company } },
      {
        from: `lead l ${first} company c ON c.id = l.company ${second} contact k ON k.company = c.id`,
        sources: { l: lead, c: company, k: contact },
      },
      { from: `company c ${first} company p ON c.parent.id = p.id`, sources: { c: company, p: company } },
      {
        from: `company ${first} contact ON contact.company = company.id AND contact.title = 'x'`,
        sources: { company, contact },
      },
      { from: `lead ${first} contact ON contact.name = lead.name`, sources: { lead, contact } },
      {
        from: `contact ${first} company ON company.id = contact.company ${second} lead ON lead.company.id = company.id AND lead.amount > 1`,
        sources: { contact, company, lead },
      },
    ];
    return shapes[pick] as Shape;
  });

const conditionOf = (texts: readonly string[], numbers: readonly string[], depth = 2): fc.Arbitrary<string> => {
  const text = fc.constantFrom(...texts);
  const value = fc.constantFrom("'a'", "'b'", "'x'", "'c1'", "NULL");
  const leaves: fc.Arbitrary<string>[] = [
    fc.tuple(text, fc.constantFrom("=", "!=", "<", ">="), value).map((parts) => parts.join(" ")),
    fc
      .tuple(text, fc.constantFrom("IS NULL", "IS NOT NULL", "IN ('a', 'x')", "NOT IN ('a', 'x')", "LIKE 'A%'"))
      .map((parts) => parts.join(" ")),
    fc.tuple(text, text).map(([left, right]) => `${left} = ${right}`),
  ];
  if (numbers.length > 0)
    leaves.push(
      fc
        .tuple(fc.constantFrom(...numbers), fc.constantFrom("= 1", "> 1", "BETWEEN 1 AND 2", "!= 2"))
        .map((parts) => parts.join(" ")),
    );
  const leaf = fc.oneof(...leaves);
  if (depth === 0) return leaf;
  const inner = conditionOf(texts, numbers, depth - 1);
  return fc.oneof(
    leaf,
    fc.tuple(inner, fc.constantFrom("AND", "OR"), inner).map(([a, word, b]) => `(${a}) ${word} (${b})`),
    inner.map((a) => `NOT (${a})`),
  );
};

const orderOf = (keys: readonly string[]) =>
  fc
    .subarray([...keys], { maxLength: Math.min(2, keys.length) })
    .chain((picked) => fc.tuple(...picked.map((key) => fc.constantFrom(`${key} ASC`, `${key} DESC`))))
    .map((items) => (items.length === 0 ? "" : `ORDER BY ${items.join(", ")}`));

const page = fc.constantFrom("", "LIMIT 3", "LIMIT 5 OFFSET 2", "OFFSET 1");

/** Texts of queries with joins, groups and DISTINCT that compile. */
export const joinQuery: fc.Arbitrary<string> = shape.chain(({ from, sources }) => {
  const names = (kind: "text" | "number" | "lookup") =>
    Object.entries(sources).flatMap(([source, fields]) => fields[kind].map((field) => `${source}.${field}`));
  const [texts, numbers, lookups] = [names("text"), names("number"), names("lookup")];
  const where = fc
    .option(conditionOf(texts, numbers))
    .map((condition) => (condition === null ? "" : `WHERE ${condition}`));
  const fields = [...texts, ...numbers, ...lookups];
  const columns = fc.subarray(fields, { minLength: 1, maxLength: 3 });
  const plain = fc
    .tuple(columns, where, orderOf(fields), page)
    .map(([selected, ...rest]) => `SELECT ${selected.join(", ")} FROM ${from} ${rest.join(" ")}`);
  const distinct = columns.chain((selected) =>
    fc
      .tuple(where, orderOf(selected), page)
      .map((rest) => `SELECT DISTINCT ${selected.join(", ")} FROM ${from} ${rest.join(" ")}`),
  );
  const aggregates = [
    ...["COUNT(*)"],
    ...texts.flatMap((field) => [`COUNT(${field})`, `COUNT(DISTINCT ${field})`, `MIN(${field})`, `MAX(${field})`]),
    ...numbers.flatMap((field) => [`SUM(${field})`, `AVG(${field})`, `MIN(${field})`]),
  ];
  const grouped = fc
    .tuple(fc.subarray(fields, { maxLength: 2 }), fc.subarray(aggregates, { minLength: 1, maxLength: 3 }))
    .chain(([keys, used]) => {
      const having = fc.constantFrom(
        "",
        "HAVING COUNT(*) > 1",
        "HAVING COUNT(*) = 0 OR COUNT(*) >= 2",
        "HAVING NOT COUNT(*) > 1",
      );
      const by = keys.length === 0 ? "" : `GROUP BY ${keys.join(", ")}`;
      return fc
        .tuple(where, fc.constant(by), having, orderOf([...keys, ...used]), page)
        .map((rest) => `SELECT ${[...keys, ...used].join(", ")} FROM ${from} ${rest.join(" ")}`);
    });
  return fc.oneof(plain, distinct, grouped);
});
