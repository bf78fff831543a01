import * as z from "zod";
import { defineContract } from "./contract.ts";

const queryText = z
  .string()
  .min(1)
  .describe(
    "A query in the platform's SQL-like language, at most 65,536 characters. Keywords and object names in any letter case, " +
      "field names exactly.",
  )
  .meta({
    examples: [
      "SELECT name, status FROM lead WHERE status = 'New' AND created_date = last_n_days:30 ORDER BY name LIMIT 100",
    ],
  });

const bypassCache = "Ask the database even if the same query was answered a moment ago.";

const queryHeader = z
  .object({
    api_name: z.string().describe("The key of this column in every record."),
    label: z.string().describe("What to show above the column: its alias, else the field's name."),
    type: z.string().describe("The field's type: string, number, boolean, json or list."),
    format: z.string().optional().describe("The field's format, such as date-time, currency or lookup, if it has one."),
  })
  .meta({ id: "QueryHeader" });

const queryExplanation = z
  .object({
    collection: z.string().describe("The object whose records the pipeline starts from."),
    pipeline: z
      .array(z.record(z.string(), z.unknown()))
      .describe("The aggregation pipeline, in MongoDB's relaxed extended JSON."),
    indexes: z.array(z.string()).describe("Fields whose index can serve the query."),
    warnings: z.array(z.string()).describe("What makes the query slow on many records, such as a full scan."),
  })
  .meta({ id: "QueryExplanation" });

// Rows are made by the query's own compiler; looking at each value of ten thousand once more would cost more than it finds.
const record = z.unknown().meta({ type: "object", additionalProperties: true });

const queryResult = z
  .object({
    records: z.array(record).describe("One flat object a row with the key of every header; what is not set is null."),
    headers: z.array(queryHeader).describe("The columns, in the order of the query."),
    truncated: z
      .literal(true)
      .optional()
      .describe("There are more rows: the query has no LIMIT and over 10,000 rows, or the reply would exceed 5 MB."),
    next_offset: z.int().optional().describe("With `truncated`: repeat the query with this OFFSET to go on."),
    explain: queryExplanation.optional().describe("Only for `EXPLAIN SELECT …`, which runs nothing."),
  })
  .meta({ id: "QueryResult" });

const language = `
\`\`\`
[EXPLAIN] SELECT [DISTINCT] * | column [[AS] alias], …
FROM object [[AS] alias]
[[LEFT] JOIN object [[AS] alias] ON parent.id = child.lookup [AND condition]] …
[WHERE condition] [GROUP BY field, …] [HAVING condition]
[ORDER BY column [ASC | DESC], …] [LIMIT n] [OFFSET n]
\`\`\`

- **Columns**: \`field\`, \`object.field\`, \`object.*\`, \`lookup.id\`, \`lookup.name\`, \`lookup.schema\`, \`COUNT(*)\`,
  \`COUNT(field)\`, \`COUNT(DISTINCT field)\`, \`SUM\`, \`AVG\`, \`MIN\`, \`MAX\`. The key of a column is its alias, else what was written.
- **Conditions**: \`= != <> < <= > >=\`, \`[NOT] BETWEEN a AND b\`, \`[NOT] IN (a, b)\` or \`IN [a, b]\`, \`[NOT] LIKE\`,
  \`IS [NOT] NULL\`, combined by NOT, AND, OR (in this order of precedence) and parentheses. A side may be a field or a value.
- **Values**: text in single or double quotes (a quote inside is doubled), numbers, TRUE, FALSE, NULL, ISO dates and date-times with or
  without quotes, \`ME\` (the caller's id) and relative dates. A name that is a keyword goes in backquotes.
- **NULL** is a field that is not set, and an empty list. As in SQL a comparison with it is never true, so \`status != 'New'\` leaves
  out records without a status, and \`= NULL\` finds nothing: use \`IS NULL\`. NULL sorts first ascending, last descending.
- **Text**: \`=\` and the order go by code points; \`LIKE\` ignores case, with \`%\` for any characters, \`_\` for one, and a backslash before
  a character that is meant as it is.
- **Dates**: a day against a date-time, and a relative date against either, is a range: \`= '2026-01-31'\` is that whole day, \`<\` is before
  it, \`>\` after it, \`<=\` and \`BETWEEN\` include it. Days begin in UTC, weeks on Monday. \`now\`, \`today\`, \`yesterday\`, \`tomorrow\`,
  \`this_ last_ next_\` with \`week month quarter year\`, and with a number \`last_n_days:30\`, \`next_n_days:7\`, \`n_days_ago:3\` and the same with
  weeks, months, quarters and years. As in SOQL, \`last_n_days\` includes today, the other counted ranges leave out the present unit.
- **Lookups**: alone they compare, group and sort by id, and are answered as \`{id, schema, name}\`.
- **Lists** (multi-select, lookup lists): \`=\` and \`IN\` ask whether one of the values is meant, \`!=\` and \`NOT IN\` that none is.
- The order is always made total by the id, so pages neither overlap nor miss a row while nothing changes.
`;

export const getQuery = defineContract({
  operation: "getQuery",
  area: "query",
  method: "GET",
  path: "/v1/query",
  access: "user",
  summary: "Query records",
  description: `Answers with the records that the caller may read. What they may not read does not exist for them.\n${language}`,
  request: {
    query: z.object({
      q: queryText,
      bypass_cache: z
        .stringbool()
        .optional()
        .describe(bypassCache)
        .meta({ type: "boolean", examples: [true] }),
    }),
  },
  replies: { 200: { description: "The rows.", body: queryResult } },
  faults: [],
});

export const postQuery = defineContract({
  operation: "postQuery",
  area: "query",
  method: "POST",
  path: "/v1/query",
  access: "user",
  summary: "Query records, with the query in the body",
  description: "The same as `GET /v1/query`, for queries that are too long for an address. It changes nothing.",
  request: {
    body: z
      .object({ query: queryText, bypass_cache: z.boolean().optional().describe(bypassCache) })
      .meta({ id: "SqlPostQueryRequest" }),
  },
  replies: { 200: { description: "The rows.", body: queryResult } },
  faults: [],
});
