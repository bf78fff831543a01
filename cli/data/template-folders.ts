import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { Failure } from "../failure.ts";
import { isObject, type Json, parseJson, textOf } from "../json.ts";
import type { Definition } from "./definitions.ts";

/** A template is a folder: template.json, and a file for each part that it has. */
const PARTS = ["subject", "html", "text"] as const;
const SETTINGS = ["name", "kind", "language", "description", "active"] as const;
const SETTINGS_FILE = "template.json";

export type Parts = { readonly [P in (typeof PARTS)[number]]: string | null };

const readIfThere = async (path: string): Promise<string | null> => {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw new Failure("usage", `The file ${path} cannot be read.`);
  }
};

/** A subject is one line, and editors end it. */
const withoutEnd = (text: string | null): string | null => text?.replace(/\r?\n$/, "") ?? null;

const readSettings = async (folder: string): Promise<Json> => {
  const path = join(folder, SETTINGS_FILE);
  const text = await readIfThere(path);
  if (text === null) return {};
  const settings = parseJson(text);
  if (!isObject(settings)) throw new Failure("usage", `${path} holds no JSON object.`);
  const unknown = Object.keys(settings).find((key) => !SETTINGS.some((name) => name === key));
  if (unknown === undefined) return settings;
  const hint = `It may have: ${SETTINGS.join(", ")}.`;
  throw new Failure("usage", `${path} has the setting "${unknown}", which is unknown.`, { hint });
};

/** The parts of the template in a folder; null for those without a file. @throws Failure if there are none */
export const readParts = async (folder: string): Promise<Parts> => {
  const read = (part: string): Promise<string | null> => readIfThere(join(folder, `${part}.liquid`));
  const [subject, html, text] = await Promise.all([read("subject"), read("html"), read("text")]);
  if (subject === null && html === null && text === null) {
    const hint = "Expected subject.liquid, html.liquid or text.liquid in it. Get them: tenantry template pull";
    throw new Failure("usage", `There is no template in ${folder}.`, { hint });
  }
  return { subject: withoutEnd(subject), html, text };
};

/** The record that a folder stands for. */
export const readTemplate = async (folder: string): Promise<Definition> => {
  const [settings, parts] = await Promise.all([readSettings(folder), readParts(folder)]);
  const name = textOf(settings.name) ?? basename(folder);
  return { file: folder, key: name, fields: { ...settings, name, ...parts } };
};

/** The folders that are named, else all of the folder, in order. @throws Failure if there are none */
export const templateFolders = async (names: readonly string[], folder: string): Promise<readonly string[]> => {
  if (names.length > 0) return names.map((name) => join(folder, name));
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found = entries.flatMap((entry) => (entry.isDirectory() ? [join(folder, entry.name)] : [])).sort();
  if (found.length > 0) return found;
  throw new Failure("usage", `There are no templates in ${folder}.`, { hint: "Get them: tenantry template pull" });
};

/** The names come from the platform, so they must not lead out of the folder. */
const folderOf = (name: string): string => {
  const folder = name
    .normalize("NFC")
    .replace(/[^\p{L}\p{N}_ -]+/gu, "-")
    .trim();
  return /^-*$/.test(folder) ? "template" : folder;
};

const sameText = (left: string | null, right: string | null): boolean => (left ?? "") === (right ?? "");

/** The files of a record: path → content, null for a part that it does not have. */
const filesOf = (record: Json, folder: string): ReadonlyMap<string, string | null> => {
  const settings = SETTINGS.flatMap((name) => (record[name] === null ? [] : [[name, record[name]]]));
  const files = new Map<string, string | null>();
  files.set(join(folder, SETTINGS_FILE), `${JSON.stringify(Object.fromEntries(settings), undefined, 2)}\n`);
  for (const part of PARTS) {
    const text = textOf(record[part]) ?? null;
    files.set(join(folder, `${part}.liquid`), part === "subject" && text !== null ? `${text}\n` : text);
  }
  return files;
};

/**
 * Writes a template into its folder, and gives the folder and whether anything has changed. @throws Failure if a file
 * is different here, unless it may be replaced
 */
export const writeTemplate = async (
  record: Json,
  directory: string,
  replaces: boolean,
): Promise<{ readonly folder: string; readonly isChanged: boolean }> => {
  const folder = join(directory, folderOf(textOf(record.name) ?? ""));
  const changed: (readonly [string, string])[] = [];
  for (const [path, content] of filesOf(record, folder)) {
    const before = await readIfThere(path);
    if (sameText(before, content)) continue;
    if (before !== null && !replaces) {
      throw new Failure("usage", `${path} is different here.`, { hint: "Add --force to replace it." });
    }
    changed.push([path, content ?? ""]);
  }
  await mkdir(folder, { recursive: true });
  for (const [path, content] of changed) await writeFile(path, content);
  return { folder, isChanged: changed.length > 0 };
};
