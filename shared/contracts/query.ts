import * as z from "zod";
import { objectName } from "./common.ts";
import { defineContract } from "./contract.ts";
import { pipelineLanguage } from "./pipeline-language.ts";
import { queryLanguage } from "./query-language.ts";

const queryText = z
  .string()
  .min(1)
  .describe(
    "A query in the platform's SQL-like language, at most 65,536 characters in a body. Keywords and object names " +
      "are case-insensitive, field names are not.",
  )
  .meta({
    examples: [
      "SELECT name, status FROM lead WHERE status = 'New' AND created_date = last_n_days:30 ORDER BY name LIMIT 100",
    ],
  });

const bypassCache =
  "Read from the database even if the same query was answered within the last minute. A cached reply is never older " +
  "than an acknowledged write.";
const count = "Also give `total`, the number of rows on all pages. It may cost as much as the query itself.";
const cursor = z
  .string()
  .min(1)
  .max(4_096)
  .describe("`next_cursor` of the page before. The text of the query must be the same.");

const queryHeader = z
  .object({
    api_name: z.string().describe("The key of this column in every record."),
    label: z.string().describe("The heading of the column: its alias, else the field's name."),
    type: z.string().describe("The field's type: string, number, boolean, json or list."),
    format: z.string().optional().describe("The field's format, such as date-time, currency or lookup, if it has one."),
  })
  .meta({ id: "QueryHeader" });

const queryExplanation = z
  .object({
    collection: z.string().describe("The object from whose records the pipeline starts."),
    pipeline: z
      .array(z.record(z.string(), z.unknown()))
      .describe("The aggregation pipeline, in MongoDB's relaxed extended JSON."),
    indexes: z.array(z.string()).describe("The fields whose index the database uses to read that object."),
    warnings: z.array(z.string()).describe("What makes the query slow on many records, such as a full scan."),
  })
  .meta({ id: "QueryExplanation" });

// Not validated value by value, because the query compiler produces them and there may be 10,000 rows.
const record = z.unknown().meta({ type: "object", additionalProperties: true });

const queryResult = z
  .object({
    records: z
      .array(record)
      .describe("One flat object for each row, with the key of every header. Fields without a value are null."),
    headers: z.array(queryHeader).describe("The columns, in the order of the query."),
    total: z.int().optional().describe("Only with `count`: the number of rows without LIMIT and OFFSET."),
    truncated: z
      .literal(true)
      .optional()
      .describe(
        "There are more rows: the query has no LIMIT and over 10,000 rows, or the reply would exceed 5 MB (6 MB " +
          "when escaped as a string in JSON).",
      ),
    next_offset: z.int().optional().describe("With `truncated`: repeat the query with this OFFSET to continue."),
    next_cursor: z
      .string()
      .optional()
      .describe("Only if there are more rows, also with a LIMIT: repeat the query with this `cursor` to continue."),
    explain: queryExplanation.optional().describe("Only for `EXPLAIN SELECT …`, which runs nothing."),
  })
  .meta({ id: "QueryResult" });

const rows = {
  description: "The rows.",
  body: queryResult,
  headers: {
    "X-Cache":
      "`hit`: from the cache, at most a minute old, and nothing was written since. `miss`: read from the " +
      "database. `bypass`: read and not cached, because of the request, EXPLAIN or `now`.",
    Link: 'Only if there are more rows: `<…>; rel="next"` (RFC 8288). The link of a query that is too long for an address names the cursor alone.',
    "X-Total-Count": "The number of rows on all pages; only as NDJSON and with `count`.",
    "X-Truncated": "`true` where JSON has `truncated`; only as NDJSON.",
  },
  alternatives: {
    "application/x-ndjson": "One record a line as JSON, in the order of the query. `Link` has the next page.",
  },
} as const;

export const getQuery = defineContract({
  operation: "getQuery",
  area: "query",
  method: "GET",
  path: "/v1/query",
  access: "user",
  summary: "Query records",
  description: `Answers with the records that the caller may read. What they may not read does not exist for them.

The request line and all headers together may have 10,240 bytes (API Gateway refuses more with 431 before the platform sees
the request), and a percent-encoded character of the query takes up to 12 of them. Send a query of more than about 6,000 characters
by \`POST /v1/query\`, which takes up to 65,536.\n${queryLanguage}`,
  request: {
    query: z.object({
      q: queryText,
      bypass_cache: z
        .stringbool()
        .optional()
        .describe(bypassCache)
        .meta({ type: "boolean", examples: [true] }),
      count: z
        .stringbool()
        .optional()
        .describe(count)
        .meta({ type: "boolean", examples: [true] }),
      cursor: cursor.optional(),
    }),
  },
  replies: { 200: rows },
  faults: ["too_many_queries", "dependency_unavailable"],
});

export const postQuery = defineContract({
  operation: "postQuery",
  area: "query",
  method: "POST",
  path: "/v1/query",
  access: "user",
  reads: true,
  summary: "Query records, with the query in the body",
  description:
    "The same as `GET /v1/query`, for queries that are too long for a URL: up to 65,536 characters. It changes " +
    "nothing.",
  request: {
    body: z
      .object({
        query: queryText,
        bypass_cache: z.boolean().optional().describe(bypassCache),
        count: z.boolean().optional().describe(count),
        cursor: cursor.optional(),
      })
      .meta({
        id: "SqlPostQueryRequest",
        examples: [{ query: "SELECT name, status FROM lead ORDER BY name LIMIT 5" }],
      }),
  },
  replies: { 200: rows },
  faults: ["too_many_queries", "dependency_unavailable"],
});

export const runDocdbQuery = defineContract({
  operation: "runDocdbQuery",
  area: "query",
  method: "POST",
  path: "/v1/query/docdb",
  access: "user",
  reads: true,
  summary: "Run an aggregation pipeline",
  description: pipelineLanguage,
  request: {
    body: z
      .strictObject({
        collection: objectName,
        pipeline: z
          .array(z.unknown())
          .describe("Stages of a MongoDB aggregation pipeline.")
          .meta({
            items: { type: "object", additionalProperties: true },
            examples: [
              [
                { $match: { status: "New", created_date: { $gte: "2026-01-01" } } },
                { $sort: { created_date: -1 } },
                { $limit: 20 },
                { $project: { name: 1, "company.name": 1 } },
              ],
            ],
          }),
      })
      .meta({ id: "DocdbQueryRequest" }),
  },
  replies: {
    200: {
      description: "The resulting documents.",
      body: z.array(record),
      headers: {
        "X-Total-Count":
          "The number of rows before the last top-level `$skip` and `$limit`, or of all rows. Left out if " +
          "counting takes too long or is not reliable.",
        "X-Limit": "That `$limit`, else 10,000.",
        "X-Offset": "That `$skip`, else 0.",
        "X-Has-More": "`true` if there are rows after the page. Left out if unknown.",
        "X-Truncated": "`true` if the reply was cut at 10,000 rows or 5 MB.",
      },
    },
  },
  faults: ["too_many_queries"],
});
