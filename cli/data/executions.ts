import { setTimeout as pause } from "node:timers/promises";
import type { Platform } from "../connection/platform.ts";
import { path, type Reply } from "../connection/request.ts";
import { Failure } from "../failure.ts";
import { isObject, type Json } from "../json.ts";
import { print, say, tint, warn } from "../terminal/terminal.ts";
import { plain } from "../terminal/text.ts";

const POLL_MS = 1_000;

const colours: Readonly<Record<string, (text: string) => string>> = {
  debug: tint.dim,
  warning: tint.yellow,
  error: tint.red,
};

/** `12:00:00.123 info  moved 3 leads` */
export const logLine = (line: Json): string => {
  const level = String(line.level ?? "info");
  const time = typeof line.at === "string" ? `${plain(line.at).slice(11, 23)} ` : "";
  const node = typeof line.node === "string" ? `${plain(line.node)}: ` : "";
  const text = String(line.message ?? line.status ?? "");
  return `${tint.dim(time)}${(colours[level] ?? String)(plain(level).padEnd(7))} ${node}${plain(text)}`;
};

const linesOf = (execution: Json): readonly Json[] =>
  Array.isArray(execution.lines) ? execution.lines.filter(isObject) : [];

/** Shows the log lines of an execution on stderr. */
export const showLines = (execution: Json): void => {
  for (const line of linesOf(execution)) say(logLine(line));
};

const readExecution = async ({ call }: Platform, id: string): Promise<Json> => {
  const { body } = await call({ method: "GET", path: path`/v1/automation/executions/${id}`, repeatable: true });
  return isObject(body) ? body : {};
};

/** The failure of an execution, with the line of the code where it is known. */
export const failureOf = ({ id, name, error }: Json): Failure => {
  const { message, type, line }: Json = isObject(error) ? error : {};
  const where = typeof line === "number" ? ` (${plain(String(name))}, line ${line})` : "";
  const kind = typeof type === "string" ? `${plain(type)}: ` : "";
  const sentence = `${kind}${plain(String(message ?? "The execution failed."))}${where}`;
  const hint = id === undefined ? {} : { hint: `Its log: tenantry function logs ${plain(String(id))}` };
  return new Failure("refused", sentence, hint);
};

const isRunning = ({ status }: Json): boolean => status === "running" || status === "waiting" || status === "queued";

/** Waits until an execution has ended, and gives it. */
export const followExecution = async (platform: Platform, id: string): Promise<Json> => {
  for (;;) {
    const execution = await readExecution(platform, id);
    if (!isRunning(execution)) return execution;
    await pause(POLL_MS);
  }
};

/**
 * Shows what an execution gave: its log on stderr, its output on stdout. @throws Failure if it failed
 */
export const showExecution = async (platform: Platform, { headers, body }: Reply): Promise<void> => {
  const id = headers.get("x-execution-id");
  const execution = id === null ? undefined : await readExecution(platform, id).catch(() => undefined);
  if (execution === undefined) warn("The log of the execution cannot be read.");
  else showLines(execution);
  await print(`${JSON.stringify(body ?? null, undefined, 2)}\n`);
  if (execution?.status === "failed") throw failureOf(execution);
};
