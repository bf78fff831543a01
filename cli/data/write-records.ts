import { type Command, Option } from "commander";
import type { Platform } from "../connection/platform.ts";
import { unlessRefreshed } from "../connection/refresh-watch.ts";
import { path } from "../connection/request.ts";
import { Failure } from "../failure.ts";
import type { Json } from "../json.ts";
import { between, type CommonOptions, collected } from "../options.ts";
import { progressBar } from "../terminal/progress.ts";
import { recordColumns } from "../terminal/record-columns.ts";
import { formatOf, rowWriter, showOne } from "../terminal/show.ts";
import { isTerminal, warn } from "../terminal/terminal.ts";
import { type Outcome, writeInBatches } from "./batches.ts";
import { readSource } from "./input.ts";
import { tell, tellOne } from "./report.ts";
import { type DataFormat, dataFormats, type Row, type Rows, rowsOf } from "./rows.ts";
import { assigned, type ObjectSchema, typedRecord, unsettable } from "./typed.ts";

export interface WriteOptions extends CommonOptions {
  readonly file?: string;
  readonly format?: DataFormat;
  readonly set?: readonly string[];
  readonly failures?: string;
  readonly batch: number;
  readonly parallel: number;
}

const MAX_BATCH = 500;

/** How the records were given, and how they are sent. */
export const withData = (command: Command): Command =>
  withTravel(
    command
      .optionsGroup("Data:")
      .option("-f, --file <path>", "read the data from a file; - is standard input")
      .addOption(
        new Option("--format <format>", "what the data is, where name and content do not tell").choices(dataFormats),
      ),
  );

const withTravel = (command: Command): Command =>
  command
    .option("--failures <path>", "write every refused record there, with the reason")
    .option("--batch <n>", "records in a request", between(1, MAX_BATCH), MAX_BATCH)
    .option("--parallel <n>", "requests at once", between(1, 16), 4);

export const withAssignments = (command: Command): Command =>
  command.option("--set <field=value>", "set a field; may be repeated", collected);

const schemaOf = async (platform: Platform, object: string): Promise<ObjectSchema> =>
  (await platform.call({ method: "GET", path: path`/v1/schema/${object}`, repeatable: true })).body as ObjectSchema;

/** The records from argument, file, pipe or `--set`. CSV and `--set` get their types from the object's schema. */
export const readRows = async (
  platform: Platform,
  object: string,
  argument: string | undefined,
  options: WriteOptions,
  keepId: boolean,
): Promise<Rows> => {
  const { set } = options;
  if (set !== undefined) {
    if (argument !== undefined || options.file !== undefined)
      throw new Failure("usage", "Give the data or --set, not both.");
    const wrong = set.find((pair) => pair.indexOf("=") < 1);
    if (wrong !== undefined) throw new Failure("usage", `--set ${wrong} is no field=value.`);
    const record = assigned(set, await schemaOf(platform, object));
    return { rows: [{ place: 1, record }], unit: "item", untyped: false, single: true };
  }
  const source = await readSource(argument, options.file);
  if (source === undefined) {
    throw new Failure("usage", "There is no data.", {
      hint: "Give it as an argument, with --set, --file or in a pipe.",
    });
  }
  const rows = await rowsOf(source, options);
  if (rows.rows.length === 0) throw new Failure("usage", `There are no records in ${source.name}.`);
  return rows.untyped ? typedRows(rows, await schemaOf(platform, object), keepId) : rows;
};

const typedRows = (rows: Rows, schema: ObjectSchema, keepId: boolean): Rows => {
  const columns = Object.keys(rows.rows[0]?.record ?? {});
  const unknown = columns.filter((column) => schema.properties[column] === undefined);
  if (unknown.length > 0) {
    throw new Failure("usage", `${schema.api_name} has no field ${unknown.join(", ")}.`, {
      hint: `The columns of a CSV file are named like fields: tenantry schema get ${schema.api_name}`,
    });
  }
  const without = unsettable(columns, keepId);
  if (without.length > 0) warn(`Left out, because the platform keeps them itself: ${without.join(", ")}`);
  return {
    ...rows,
    rows: rows.rows.map(({ place, record }) => ({ place, record: typedRecord(record, schema, without) })),
  };
};

interface Work {
  readonly platform: Platform;
  readonly rows: Rows;
  readonly verb: string;
  /** Sends rows that are written as a whole or not at all. */
  readonly write: (rows: readonly Row[]) => Promise<readonly Json[]>;
}

/** Writes in batches, with a progress bar and a report. The first Ctrl-C lets running requests finish. */
export const writeAll = (work: Work, options: WriteOptions): Promise<Outcome> =>
  work.rows.rows.length === 1
    ? writeBatches(work, options)
    : unlessRefreshed(work.platform, () => writeBatches(work, options));

const writeBatches = async ({ rows, verb, write }: Work, options: WriteOptions): Promise<Outcome> => {
  const stop = new AbortController();
  const interrupt = (): void => {
    if (stop.signal.aborted) process.exit(130);
    stop.abort();
  };
  process.on("SIGINT", interrupt);
  const began = performance.now();
  const total = rows.rows.length;
  const bar = await progressBar(verb, total);
  const outcome = await writeInBatches({
    rows: rows.rows,
    size: options.batch,
    parallel: options.parallel,
    write,
    onProgress: (count) => bar.advance(count),
    signal: stop.signal,
  });
  bar.stop();
  process.off("SIGINT", interrupt);
  if (rows.single) {
    tellOne(outcome);
    return outcome;
  }
  await showWritten(outcome.written, options);
  const seconds = (performance.now() - began) / 1000;
  const interrupted = stop.signal.aborted;
  await tell({ verb, outcome, unit: rows.unit, seconds, failuresPath: options.failures, interrupted });
  return outcome;
};

/** Records are printed into a pipe only. On a terminal the report is enough. */
const showWritten = async (written: readonly Json[], options: CommonOptions): Promise<void> => {
  if (isTerminal() && options.output === undefined && !options.csv) return;
  const writer = rowWriter(formatOf(options), options);
  const columns = Object.keys(written[0] ?? {}).map((key) => ({ key }));
  await writer.write(columns, written);
  await writer.end();
};

export const showSingle = async (outcome: Outcome, options: CommonOptions): Promise<void> => {
  const [record] = outcome.written;
  if (record === undefined) return;
  const { output } = options;
  if (options.csv || output === "csv" || output === "ndjson") await showWritten(outcome.written, options);
  else await showOne(output ? { output } : {}, record, recordColumns([record]));
};
