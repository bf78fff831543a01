import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Platform } from "../connection/platform.ts";
import { path } from "../connection/request.ts";
import { Failure } from "../failure.ts";
import { isObject, type Json } from "../json.ts";
import { done, say, tint } from "../terminal/terminal.ts";
import { plain } from "../terminal/text.ts";

/** The objects whose records are kept as files. */
export type DefinitionObject = "function" | "record_trigger" | "automation" | "template";

/** The field that a file and its record have in common. */
const keyOf: Readonly<Record<DefinitionObject, string>> = {
  function: "file_name",
  record_trigger: "file_name",
  automation: "name",
  template: "name",
};

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** The records of an object that have one of these keys; all without keys. */
export const findDefinitions = async (
  { call }: Platform,
  object: DefinitionObject,
  keys: readonly string[],
): Promise<readonly Json[]> => {
  const key = keyOf[object];
  const where = keys.length === 0 ? "" : ` WHERE ${key} IN (${keys.map(quoted).join(", ")})`;
  const json = { query: `SELECT * FROM ${object}${where} ORDER BY ${key}`, bypass_cache: true };
  const { body } = await call({ method: "POST", path: "/v1/query", json, reads: true, repeatable: true });
  return isObject(body) && Array.isArray(body.records) ? body.records.filter(isObject) : [];
};

/** The line of the code that an issue is about, with a mark below the position. */
const excerpt = (code: unknown, { line, column }: Json): string => {
  const text = typeof code === "string" && typeof line === "number" ? code.split("\n")[line - 1] : undefined;
  if (text === undefined || typeof column !== "number") return "";
  const mark = `${text.slice(0, column - 1).replace(/[^\t]/g, " ")}^`;
  return `\n      ${text.replace(/\p{Cc}/gu, " ")}\n      ${mark.replace(/\p{Cc}/gu, " ")}`;
};

/** The failure with the place in the file, for issues of code. */
const inFile = (failure: Failure, file: string, fields: Json): Failure => {
  const { issues = [] } = failure.details;
  if (issues.length === 0) return failure;
  const lines = issues.map(({ loc, msg, ctx = {} }) => {
    // A template is a folder with a file for each part.
    const [path, code] =
      typeof ctx.part === "string" ? [join(file, `${ctx.part}.liquid`), fields[ctx.part]] : [file, fields.code];
    const where = typeof ctx.line === "number" ? `${path}:${ctx.line}:${ctx.column ?? 1}` : loc.slice(1).join(".");
    const rule = typeof ctx.rule === "string" ? tint.dim(` (${plain(ctx.rule)})`) : "";
    const sentence = msg.replace(/^Line \d+, column \d+: /, "");
    return `  ${plain(where)}: ${sentence}${rule}${excerpt(code, ctx)}`;
  });
  return new Failure("refused", `${file} is refused:\n${lines.join("\n")}`, { ...failure.details, hint: undefined });
};

/** What a file says of its record. */
export interface Definition {
  readonly file: string;
  readonly key: string;
  readonly fields: Json;
}

const changesOf = (stored: Json, fields: Json): Json =>
  Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => {
      const before = stored[name];
      const isSameReference = isObject(before) && typeof value === "string" && [before.id, before.name].includes(value);
      return !isSameReference && !isDeepStrictEqual(before ?? null, value ?? null);
    }),
  );

const write = async ({ call }: Platform, object: DefinitionObject, { fields }: Definition, stored?: Json) => {
  if (stored === undefined) {
    const headers = { "idempotency-key": randomUUID() };
    return call({ method: "POST", path: path`/v1/object/${object}`, json: fields, headers, repeatable: true });
  }
  const address = path`/v1/object/${object}/${String(stored.id)}`;
  return call({ method: "PATCH", path: address, json: changesOf(stored, fields), repeatable: true });
};

/** Creates and changes records, so that they are as the files say. Stops at the first file that is refused. */
export const pushDefinitions = async (
  platform: Platform,
  object: DefinitionObject,
  definitions: readonly Definition[],
): Promise<void> => {
  const stored = await findDefinitions(
    platform,
    object,
    definitions.map(({ key }) => key),
  );
  for (const definition of definitions) {
    const { file, key, fields } = definition;
    const same = stored.filter((record) => record[keyOf[object]] === key);
    if (same.length > 1) throw new Failure("refused", `There are ${same.length} records of ${object} named ${key}.`);
    const [before] = same;
    if (before !== undefined && Object.keys(changesOf(before, fields)).length === 0) {
      say(tint.dim(`  ${file} has not changed`));
      continue;
    }
    try {
      await write(platform, object, definition, before);
    } catch (error) {
      throw error instanceof Failure ? inFile(error, file, fields) : error;
    }
    done(`${before === undefined ? "Created" : "Changed"} ${plain(key)} from ${file}`);
  }
};
