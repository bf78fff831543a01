import { Command } from "commander";
import { connect } from "../../connection/platform.ts";
import { path } from "../../connection/request.ts";
import type { Json } from "../../json.ts";
import { between, type CommonOptions, withConnection, withExamples, withFormats } from "../../options.ts";
import { recordColumn, recordColumns } from "../../terminal/record-columns.ts";
import { formatOf, rowWriter } from "../../terminal/show.ts";
import { type Column, leadingColumns, table } from "../../terminal/table.ts";
import { remark } from "../../terminal/terminal.ts";

interface ListOptions extends CommonOptions {
  readonly limit: number;
  readonly offset: number;
  readonly orderBy?: string;
  readonly fields?: string;
  readonly all?: true;
}

const MAX_PAGE = 1000;
const columnsOf = (rows: readonly Json[], fields: string | undefined): Column[] =>
  fields === undefined ? recordColumns(rows) : fields.split(",").map((each) => recordColumn(each.trim(), rows));

const nextOf = (link: string | null): string | undefined => {
  const address = /<([^>]*)>\s*;[^,]*rel="?next"?/.exec(link ?? "")?.[1];
  if (address === undefined) return undefined;
  const { pathname, search } = new URL(address, "http://here");
  return `${pathname}${search}`;
};

const run = async (object: string, options: ListOptions): Promise<void> => {
  const { target, call } = await connect(options);
  const query = new URLSearchParams({
    limit: String(options.all ? MAX_PAGE : options.limit),
    offset: String(options.offset),
  });
  if (options.orderBy !== undefined) query.set("order_by", options.orderBy);
  const format = formatOf(options);
  const writer = rowWriter(format, { ...options, onTable: options.fields === undefined ? leadingColumns : table });
  const prefix = new URL(target.url).pathname.replace(/\/$/, "");
  let next: string | undefined = `${path`/v1/object/${object}`}?${query}`;
  let count = 0;
  let total: string | null = null;
  let isLeast = false;
  while (next !== undefined) {
    const reply = await call({ method: "GET", path: next, repeatable: true });
    const rows = reply.body as Json[];
    const columns = columnsOf(rows, options.fields);
    await writer.write(
      columns,
      options.fields === undefined || format === "csv" ? rows : rows.map((row) => picked(row, columns)),
    );
    count += rows.length;
    total = reply.headers.get("x-total-count");
    isLeast = reply.headers.get("x-total-at-least") === "true";
    const following = nextOf(reply.headers.get("link"));
    next = options.all ? following?.slice(following.startsWith(prefix) ? prefix.length : 0) : undefined;
  }
  await writer.end();
  const shown = count.toLocaleString("en-US");
  const more =
    format === "table" && options.fields === undefined ? " More fields: --fields name,status or --output json" : "";
  const all = `${isLeast ? "more than " : ""}${Number(total ?? count).toLocaleString("en-US")}`;
  remark(`${shown} of ${all} records.${more}`);
};

const picked = (row: Json, columns: readonly Column[]): Json =>
  Object.fromEntries(columns.map(({ key }) => [key, row[key] ?? null]));

export const listRecords = (): Command =>
  withExamples(
    withConnection(
      withFormats(
        new Command("list")
          .alias("ls")
          .summary("show the records of an object")
          .description("Shows an object's records, the oldest first. To filter them, use tenantry query.")
          .argument("<object>", "the object's api_name")
          .option("-l, --limit <n>", "how many at most", between(1, MAX_PAGE), 20)
          .option("--offset <n>", "how many to pass over first", between(0, 10_000_000), 0)
          .option("--order-by <fields>", "such as -created_date,name; a dash descends")
          .option("--fields <names>", "only these, separated by commas")
          .option("--all", "all of them"),
      ),
    ),
    ["tenantry record list lead"],
    ["tenantry record list lead --order-by -amount --limit 5 --fields name,status,amount", "the five biggest"],
    ["tenantry record list lead --all --csv > leads.csv"],
  ).action(run);
