import { Failure } from "../failure.ts";
import { isObject, type Json, parseJson } from "../json.ts";
import { original } from "../spreadsheet.ts";
import type { Source } from "./input.ts";

/** A record to write, and its position in the input. */
export interface Row {
  readonly place: number;
  readonly record: Json;
}

export interface Rows {
  readonly rows: readonly Row[];
  /** The unit of `place`. */
  readonly unit: "line" | "item";
  /** Values are text, to be converted to the types of the object's schema. */
  readonly untyped: boolean;
  /** The input was one record, not a list. */
  readonly single: boolean;
}

export const dataFormats = ["json", "ndjson", "csv"] as const;

export type DataFormat = (typeof dataFormats)[number];

const formatOf = ({ text, name }: Source): DataFormat => {
  const extension = /\.(json|ndjson|jsonl|csv|tsv)$/i.exec(name)?.[1]?.toLowerCase();
  if (extension === "csv" || extension === "tsv") return "csv";
  if (extension === "ndjson" || extension === "jsonl") return "ndjson";
  const start = text.trimStart();
  if (extension === "json" || start.startsWith("[")) return "json";
  if (!start.startsWith("{")) return name === "the argument" ? "json" : "csv";
  return parseJson(text) === undefined && /\n\s*\{/.test(start) ? "ndjson" : "json";
};

const refused = (source: Source, sentence: string, hint?: string): Failure =>
  new Failure("usage", `In ${source.name}: ${sentence}`, { hint });

const fromJson = (source: Source): Rows => {
  let content: unknown;
  try {
    content = JSON.parse(source.text);
  } catch (error) {
    throw refused(
      source,
      error instanceof Error ? error.message : "this is no JSON.",
      'JSON looks like \'{"name": "Ada"}\'',
    );
  }
  const items: unknown[] = Array.isArray(content) ? content : [content];
  const rows = items.map((record, index) => {
    if (!isObject(record)) throw refused(source, `item ${index + 1} is no record: it must be a JSON object.`);
    return { place: index + 1, record };
  });
  return { rows, unit: "item", untyped: false, single: !Array.isArray(content) };
};

const fromNdjson = (source: Source): Rows => {
  const rows = source.text.split("\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    const record = parseJson(line);
    if (!isObject(record)) throw refused(source, `line ${index + 1} is no JSON object.`);
    return [{ place: index + 1, record }];
  });
  return { rows, unit: "line", untyped: false, single: false };
};

/** Spreadsheets write semicolons where the comma is the decimal mark. */
const delimiterOf = (text: string): string => {
  const head = text.slice(0, text.indexOf("\n") + 1 || text.length);
  const count = (delimiter: string): number => head.split(delimiter).length;
  return [",", ";", "\t"].reduce((best, each) => (count(each) > count(best) ? each : best));
};

const fromCsv = async (source: Source, raw: boolean): Promise<Rows> => {
  const { parse } = await import("csv-parse/sync");
  try {
    const parsed: { record: Record<string, string>; info: { lines: number } }[] = parse(source.text, {
      delimiter: delimiterOf(source.text),
      columns: (head: string[]) => head.map((each) => each.trim()),
      cast: (text: string) => (raw ? text : original(text)),
      info: true,
      skip_empty_lines: true,
    });
    const rows = parsed.map(({ record, info }) => ({ place: info.lines, record }));
    return { rows, unit: "line", untyped: true, single: false };
  } catch (error) {
    throw refused(source, error instanceof Error ? error.message : "this is no CSV.");
  }
};

interface ReadOptions {
  readonly format?: DataFormat;
  /** Leaves cells unchanged, including apostrophes before formulas. */
  readonly raw?: true;
}

/** The records in the input. @throws Failure with the position of an error, before anything is sent */
export const rowsOf = async (source: Source, { format = formatOf(source), raw }: ReadOptions): Promise<Rows> => {
  if (format === "csv") return fromCsv(source, raw === true);
  return format === "ndjson" ? fromNdjson(source) : fromJson(source);
};
