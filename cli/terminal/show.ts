import type { Json } from "../json.ts";
import type { Format, OutputOptions } from "../options.ts";
import { harmless } from "../spreadsheet.ts";
import { block, type Column, table } from "./table.ts";
import { isTerminal, print } from "./terminal.ts";
import { cell } from "./text.ts";

export const formatOf = ({ output, csv }: OutputOptions): Format =>
  csv ? "csv" : (output ?? (isTerminal() ? "table" : "ndjson"));

const csvLines = async (columns: readonly Column[], rows: readonly Json[], head: boolean, raw: boolean) => {
  const { stringify } = await import("csv-stringify/sync");
  const lines = rows.map((row) => columns.map(({ key }) => cell(row[key])));
  const all = head ? [columns.map(({ key }) => key), ...lines] : lines;
  return stringify(raw ? all : all.map((line) => line.map(harmless)));
};

interface WriterOptions extends Pick<OutputOptions, "raw"> {
  readonly onTable?: (columns: readonly Column[], rows: readonly Json[]) => string;
}

/** Shows rows as they come, page by page. A table and a JSON array are shown by `end` only. */
export const rowWriter = (format: Format, { raw, onTable = table }: WriterOptions = {}) => {
  const kept: Json[] = [];
  let shownColumns: readonly Column[] = [];
  let begun = false;
  return {
    write: async (columns: readonly Column[], rows: readonly Json[]): Promise<void> => {
      if (!begun) shownColumns = columns;
      if (format === "ndjson") await print(rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
      else if (format === "csv") await print(await csvLines(shownColumns, rows, !begun, raw === true));
      else for (const row of rows) kept.push(row);
      begun = true;
    },
    end: async (): Promise<void> => {
      if (format === "json") await print(`${JSON.stringify(kept, undefined, 2)}\n`);
      else if (format === "table") await print(onTable(shownColumns, kept));
    },
  };
};

/** Shows one thing: lines of label and value on a terminal, else JSON. */
export const showOne = async (
  { output }: { readonly output?: Format },
  content: Json,
  columns: readonly Column[] = Object.keys(content).map((key) => ({ key })),
  summary: Json = content,
): Promise<void> => {
  const format = output ?? (isTerminal() ? "table" : "json");
  await print(format === "table" ? block(columns, summary) : `${JSON.stringify(content, undefined, 2)}\n`);
};
