import { isDeepStrictEqual } from "node:util";
import { isObject } from "#shared/foundation/is-object";
import { withoutSecrets } from "#shared/foundation/secret-names";
import { newRecord } from "#shared/tenant/tenant";
import type { ExecutionError } from "../outcome.ts";
import type { Execution } from "./execution.ts";
import { executionLimits } from "./limits.ts";

/** The object of the records of what was executed, and their collection. */
export const LOG_OBJECT = "log";

const LONGEST_MESSAGE = 4_000;
const DEEPEST = 50;

/** Names with which a document of MongoDB could not be written or queried. */
const isAwkward = (key: string): boolean =>
  key === "" || key.startsWith("$") || /[.\0]/.test(key) || key === "__proto__";

const isStorable = (value: unknown, depth = 0): boolean => {
  if (depth > DEEPEST) return false;
  if (Array.isArray(value)) return value.every((item) => isStorable(item, depth + 1));
  if (!isObject(value)) return true;
  return Object.entries(value).every(([key, item]) => !isAwkward(key) && isStorable(item, depth + 1));
};

/**
 * JSON to be stored: without secrets, and cut if it is large. What MongoDB cannot hold is stored as the text of its
 * JSON.
 */
export const loggable = (
  value: unknown,
  mostBytes: number = executionLimits.loggedBytes,
): { readonly shown: unknown; readonly isWhole: boolean } => {
  if (value === undefined || value === null) return { shown: value ?? null, isWhole: true };
  const text = JSON.stringify(value);
  const bytes = Buffer.byteLength(text);
  if (bytes > mostBytes) return { shown: { cut: true, bytes }, isWhole: false };
  const plain: unknown = JSON.parse(text);
  if (!isStorable(plain)) return { shown: text, isWhole: false };
  const shown = withoutSecrets(plain);
  return { shown, isWhole: isDeepStrictEqual(shown, plain) };
};

/** How an execution has ended. */
export interface Ending {
  readonly status: "completed" | "failed";
  readonly output: unknown;
  readonly error?: ExecutionError | undefined;
  /** `{at, level, message}` of a function. */
  readonly lines: readonly object[];
  readonly lines_cut: boolean;
}

const linesOf = ({ lines, lines_cut }: Ending, at: Date): unknown[] =>
  lines_cut
    ? [...lines, { at: at.toISOString(), level: "warning", message: "Further lines were not kept." }]
    : [...lines];

const messageOf = ({ error }: Ending): string | undefined => error?.message.slice(0, LONGEST_MESSAGE);

/** The record of an execution that has ended. Its owner is the user in whose name it ran. */
export const logRecord = (execution: Execution, ending: Ending, at: Date) => {
  const { _id, user, kind, name, place, inputs, replayable, started, related_to } = execution;
  const message = messageOf(ending);
  const fields = {
    name,
    kind,
    execution_id: _id,
    level: ending.status === "completed" ? "info" : "error",
    status: ending.status,
    ...(message !== undefined && { message }),
    place,
    ...(inputs !== null && { inputs }),
    ...(ending.output !== undefined && ending.output !== null && { output: loggable(ending.output).shown }),
    lines: linesOf(ending, at),
    ...(ending.error && { error: { ...ending.error, message } }),
    replayable,
    duration_ms: Math.max(at.getTime() - started.getTime(), 0),
    related_to,
  };
  return newRecord(_id, fields, { by: { id: user.id, schema: "user", name: user.name }, at });
};
