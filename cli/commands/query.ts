import { Command } from "commander";
import type * as z from "zod";
import type { postQuery } from "#contracts/query";
import { connect, type Platform } from "../connection/platform.ts";
import { readSource } from "../data/input.ts";
import { Failure } from "../failure.ts";
import type { Json } from "../json.ts";
import { type CommonOptions, withConnection, withExamples, withFormats } from "../options.ts";
import { formatOf, rowWriter } from "../terminal/show.ts";
import { print, remark, warn } from "../terminal/terminal.ts";
import { counted, plain } from "../terminal/text.ts";

type Result = z.output<(typeof postQuery)["replies"][200]["body"]>;

interface QueryOptions extends CommonOptions {
  readonly file?: string;
  readonly all?: true;
  readonly count?: true;
  readonly fresh?: true;
}

/** The wrong line of the query, with a mark below the position. */
const pointedAt = (sql: string, failure: Failure): Failure => {
  const { issues = [] } = failure.details;
  const { line, column } = issues[0]?.ctx ?? {};
  const text = typeof line === "number" ? sql.split("\n")[line - 1] : undefined;
  if (issues.length !== 1 || text === undefined || typeof column !== "number") return failure;
  const before = text.slice(0, column - 1).replace(/[^\t]/g, " ");
  const sentence = issues[0]?.msg ?? failure.message;
  return new Failure("refused", `${sentence}\n\n  ${text.replace(/\p{Cc}/gu, " ")}\n  ${before}^`, {
    ...failure.details,
    hint: "The language: tenantry open",
  });
};

const page = async (platform: Platform, query: string, options: QueryOptions, cursor?: string): Promise<Result> => {
  const json = {
    query,
    ...(options.count && { count: true }),
    ...(options.fresh && { bypass_cache: true }),
    ...(cursor !== undefined && { cursor }),
  };
  try {
    const reply = await platform.call({ method: "POST", path: "/v1/query", json, reads: true, repeatable: true });
    return reply.body as Result;
  } catch (error) {
    throw error instanceof Failure ? pointedAt(query, error) : error;
  }
};

const run = async (argument: string | undefined, options: QueryOptions): Promise<void> => {
  const source = await readSource(argument, options.file);
  const sql = source?.text.trim().replace(/;$/, "");
  if (!sql)
    throw new Failure("usage", "There is no query.", {
      hint: 'Give one: tenantry query "SELECT name FROM lead LIMIT 5"',
    });
  const platform = await connect(options);
  const writer = rowWriter(formatOf(options), options);
  let shownRows = 0;
  let cursor: string | undefined;
  for (;;) {
    const result = await page(platform, sql, options, cursor);
    if (result.explain) return print(`${JSON.stringify(result.explain, undefined, 2)}\n`);
    const columns = result.headers.map(({ api_name, type, format }) => ({
      key: api_name,
      title: plain(api_name),
      type,
      format,
    }));
    await writer.write(columns, result.records as Json[]);
    shownRows += result.records.length;
    cursor = result.next_cursor;
    if (!options.all || cursor === undefined) {
      await writer.end();
      remark(
        `${counted(shownRows, "row")}${result.total === undefined ? "" : ` of ${result.total.toLocaleString("en-US")}`}`,
      );
      if (result.truncated) warn("There are more rows: add --all to get them too.");
      return;
    }
  }
};

export const query = (): Command =>
  withExamples(
    withConnection(
      withFormats(
        new Command("query")
          .summary("ask for records in SQL")
          .description("Runs a query in the platform's SQL-like language, and shows the records that you may read.")
          .argument("[sql]", "the query; without it, --file or standard input is read")
          .option("-f, --file <path>", "read the query from a file")
          .option("--all", "go on until there are no more rows; LIMIT is then the size of a page")
          .option("--count", "also tell how many rows there are on all pages")
          .option("--fresh", "ask the database even if the answer is known"),
      ),
    ),
    ["tenantry query \"SELECT name, status, amount FROM lead WHERE status = 'New' LIMIT 5\""],
    ['tenantry query "SELECT name, email FROM contact" --all --csv > contacts.csv', "everything, for a spreadsheet"],
    ["tenantry query --file report.sql --output json | jq '.[0]'", "a query from a file"],
    ['echo "EXPLAIN SELECT * FROM lead" | tenantry query', "how the database would do it"],
  ).action(run);
