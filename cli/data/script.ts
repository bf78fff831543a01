import { basename } from "node:path";
import { Failure } from "../failure.ts";
import { isObject, type Json } from "../json.ts";
import { readSource } from "./input.ts";

/** A Python file, and the settings in its `# /// tenantry` block. */
export interface Script {
  readonly path: string;
  readonly file_name: string;
  readonly code: string;
  readonly settings: Json;
}

/** https://packaging.python.org/en/latest/specifications/inline-script-metadata/, with another type of block */
const BLOCK = /^# \/\/\/ tenantry$\s(?<content>(?:^#(?:| .*)$\s)+?)^# \/\/\/$/m;

const settingsIn = async (path: string, code: string): Promise<Json> => {
  const content = BLOCK.exec(code.replaceAll("\r\n", "\n"))?.groups?.content;
  if (content === undefined) return {};
  const text = content
    .split("\n")
    .map((line) => line.replace(/^# ?/, ""))
    .join("\n");
  const { parse } = await import("smol-toml");
  try {
    const settings: unknown = parse(text);
    return isObject(settings) ? settings : {};
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n", 1)[0] : "it is not TOML";
    throw new Failure("usage", `The block "# /// tenantry" of ${path} cannot be read: ${reason}`);
  }
};

/** @throws Failure if the file cannot be read, or has another setting than these */
export const readScript = async (path: string, known?: readonly string[]): Promise<Script> => {
  const code = (await readSource(undefined, path))?.text ?? "";
  const file_name = basename(path);
  if (!file_name.endsWith(".py")) throw new Failure("usage", `${path} is no Python file: its name ends with .py.`);
  const settings = await settingsIn(path, code);
  const unknown = Object.keys(settings).find((key) => known?.includes(key) === false);
  if (known !== undefined && unknown !== undefined) {
    throw new Failure("usage", `${path} has the setting "${unknown}", which is unknown.`, {
      hint: `The block "# /// tenantry" may have: ${known.join(", ")}.`,
    });
  }
  return { path, file_name, code, settings };
};

/** A name as people write it: `move_leads.py` → `Move leads`. */
export const labelOfFile = (file_name: string): string => {
  const words = file_name
    .replace(/\.(py|json)$/, "")
    .replace(/[_-]+/g, " ")
    .trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** `Move leads` → `move_leads.py`. @throws Failure if nothing is left of the name */
export const fileNameOf = (name: string): string => {
  const stem = name
    .replace(/\.py$/, "")
    .normalize("NFKD")
    .replace(/[^\w]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .toLowerCase();
  if (stem === "") throw new Failure("usage", `"${name}" cannot be the name of a file.`);
  return `${stem}.py`;
};
