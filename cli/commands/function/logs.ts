import { setTimeout as pause } from "node:timers/promises";
import { Command } from "commander";
import { connect, type Platform } from "../../connection/platform.ts";
import { logLine } from "../../data/executions.ts";
import { isObject, type Json } from "../../json.ts";
import { between, type CommonOptions, withConnection, withExamples, withJson } from "../../options.ts";
import { isTerminal, paint, print } from "../../terminal/terminal.ts";
import { plain } from "../../terminal/text.ts";

interface LogsOptions extends CommonOptions {
  readonly limit: number;
  readonly follow?: true;
}

const POLL_MS = 2_000;
/** An execution is listed when its end is committed, which may be after one that ended later. */
const OVERLAP_MS = 60_000;
const PAGE = 200;
const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

interface Result {
  readonly records: readonly Json[];
  readonly next_cursor?: string;
}

const page = async ({ call }: Platform, query: string, cursor?: string): Promise<Result> => {
  const json = { query, bypass_cache: true, ...(cursor !== undefined && { cursor }) };
  const { body } = await call({ method: "POST", path: "/v1/query", json, reads: true, repeatable: true });
  return body as Result;
};

const select = (what: string, conditions: readonly string[], rest: string): string =>
  `SELECT ${what} FROM log WHERE ${conditions.join(" AND ")} ORDER BY ${rest}`;

const matching = (which: string | undefined): string[] => [
  "kind IN ('function', 'trigger', 'automation')",
  ...(which === undefined ? [] : [`${UUID.test(which) ? "id" : "name"} = ${quoted(which)}`]),
];

/** Executions that have ended since a time, in that order. */
const endedSince = async (platform: Platform, which: string | undefined, since: number): Promise<Json[]> => {
  const ended = `created_date >= ${quoted(new Date(since).toISOString())}`;
  const query = select("*", [...matching(which), ended], `created_date LIMIT ${PAGE}`);
  const all: Json[] = [];
  let cursor: string | undefined;
  do {
    const result = await page(platform, query, cursor);
    all.push(...result.records);
    cursor = result.records.length < PAGE ? undefined : result.next_cursor;
  } while (cursor !== undefined);
  return all;
};

const textOf = (execution: Json): string => {
  const { id, name, kind, place, status, duration_ms, message, created_date, lines } = execution;
  const colour = status === "failed" ? paint.red : paint.green;
  const head = [created_date, kind, name, colour(String(status)), `${duration_ms ?? "?"} ms`, `by ${place}`, id];
  const all = [head.map((part) => plainly(part)).join("  ")];
  if (status === "failed" && message) all.push(`  ${paint.red(plain(String(message)))}`);
  for (const line of Array.isArray(lines) ? lines.filter(isObject) : []) all.push(`  ${logLine(line)}`);
  return `${all.join("\n")}\n`;
};

/** Keeps colours of our own. */
const plainly = (part: unknown): string =>
  typeof part === "string" && part.includes("\u001b") ? part : plain(`${part}`);

const endOf = ({ created_date }: Json): number => Date.parse(String(created_date));

const run = async (which: string | undefined, options: LogsOptions): Promise<void> => {
  const platform = await connect(options);
  const isText = (options.output ?? (isTerminal() ? "table" : "json")) === "table";
  const show = (execution: Json): Promise<void> => print(isText ? textOf(execution) : `${JSON.stringify(execution)}\n`);
  const ended = select("id, created_date", matching(which), `created_date DESC LIMIT ${PAGE}`);
  const before = options.follow ? (await page(platform, ended)).records : [];
  // Ids are in the order of beginnings.
  const newest = select("*", matching(which), `id DESC LIMIT ${options.limit}`);
  const found = (await page(platform, newest)).records;
  for (const execution of found.toReversed()) await show(execution);
  if (!options.follow) return;
  let last = before[0] === undefined ? 0 : endOf(before[0]);
  let known = new Set([...before, ...found].map(({ id }) => id));
  for (;;) {
    await pause(POLL_MS);
    const overlapping = await endedSince(platform, which, Math.max(0, last - OVERLAP_MS));
    for (const execution of overlapping) if (!known.has(execution.id)) await show(execution);
    known = new Set(overlapping.map(({ id }) => id));
    last = Math.max(last, ...overlapping.map(endOf));
  }
};

export const functionLogs = (): Command =>
  withExamples(
    withConnection(
      withJson(
        new Command("logs")
          .summary("show executions with their logs")
          .description("Shows what functions, triggers and automations did: the newest last, with their log lines.")
          .argument("[which]", "a function, trigger or automation, or the id of an execution")
          .option("-n, --limit <n>", "how many", between(1, 200), 20)
          .option("-F, --follow", "go on showing new ones"),
      ),
    ),
    ["tenantry function logs count_leads.py"],
    ["tenantry function logs --follow"],
  ).action(run);
