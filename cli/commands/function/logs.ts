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
const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Executions, newest first. Their ids are in the order of time. */
const read = async ({ call }: Platform, which: string | undefined, after: string | undefined, limit: number) => {
  const conditions = [
    "kind IN ('function', 'trigger', 'automation')",
    ...(which === undefined ? [] : [`${UUID.test(which) ? "id" : "name"} = ${quoted(which)}`]),
    ...(after === undefined ? [] : [`id > ${quoted(after)}`]),
  ];
  const query = `SELECT * FROM log WHERE ${conditions.join(" AND ")} ORDER BY id DESC LIMIT ${limit}`;
  const json = { query, bypass_cache: true };
  const { body } = await call({ method: "POST", path: "/v1/query", json, reads: true, repeatable: true });
  return isObject(body) && Array.isArray(body.records) ? body.records.filter(isObject) : [];
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

const run = async (which: string | undefined, options: LogsOptions): Promise<void> => {
  const platform = await connect(options);
  const isText = (options.output ?? (isTerminal() ? "table" : "json")) === "table";
  let last: string | undefined;
  for (;;) {
    const found = await read(platform, which, last, options.limit);
    for (const execution of found.toReversed())
      await print(isText ? textOf(execution) : `${JSON.stringify(execution)}\n`);
    last = typeof found[0]?.id === "string" ? found[0].id : last;
    if (!options.follow) return;
    await pause(POLL_MS);
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
