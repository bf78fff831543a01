import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../failure.ts";
import { isObject, parseJson } from "../json.ts";
import type { ObjectSchema } from "./typed.ts";

type Part = Readonly<Record<string, unknown>>;

/** An object as it is kept in a file: what an administrator may change, without ids and system fields. */
export interface ModelObject {
  readonly api_name: string;
  /** The object's own settings: labels, ownership, icon. */
  readonly settings: Part;
  /** By api_name. */
  readonly fields: Readonly<Record<string, Part>>;
  readonly rules: Readonly<Record<string, Part>>;
}

const SETTINGS = [
  "name",
  "plural_name",
  "description",
  "app",
  "ownership",
  "exclusive_ownership",
  "junction_object",
  "relates_to_any_object",
  "icon",
  "color",
] as const;

/** A list's values belong to the list: as the field's own they would replace it. */
const withoutListValues = ({ values, ...field }: Part): Part =>
  values === undefined || field.global_list_name !== undefined ? field : { ...field, values };

export const modelOf = (schema: ObjectSchema): ModelObject => ({
  api_name: schema.api_name,
  settings: Object.fromEntries(SETTINGS.map((key) => [key, schema[key]])),
  fields: Object.fromEntries(
    Object.values(schema.properties)
      .filter(({ system }) => system !== true)
      // The platform keeps the state of indexes.
      .map(({ api_name, index_status: _, index_failure: __, ...field }) => [api_name, withoutListValues(field)]),
  ),
  rules: Object.fromEntries(schema.validation_rules.map(({ api_name, ...rule }) => [api_name, rule])),
});

const contentOf = ({ api_name, settings, fields, rules }: ModelObject): string =>
  `${JSON.stringify({ api_name, ...settings, fields, validation_rules: rules }, undefined, 2)}\n`;

/** Writes a file for each object and gives their paths. */
export const writeModel = async (folder: string, objects: readonly ModelObject[]): Promise<string[]> => {
  await mkdir(folder, { recursive: true });
  return Promise.all(
    objects.map(async (object) => {
      const path = join(folder, `${object.api_name}.json`);
      await writeFile(path, contentOf(object));
      return path;
    }),
  );
};

const partsOf = (value: unknown, path: string, key: string): Record<string, Part> => {
  if (value === undefined) return {};
  if (isObject(value) && Object.values(value).every(isObject)) return value as Record<string, Part>;
  throw new Failure("usage", `In ${path}: ${key} must be an object of objects, by api_name.`);
};

const parseObject = (text: string, path: string): ModelObject => {
  const content = parseJson(text);
  if (!isObject(content) || typeof content.api_name !== "string")
    throw new Failure("usage", `${path} is not a JSON object with an api_name.`);
  const { api_name, fields, validation_rules, ...settings } = content;
  const unknown = Object.keys(settings).find((key) => !(SETTINGS as readonly string[]).includes(key));
  if (unknown !== undefined) throw new Failure("usage", `In ${path}: there is no setting ${unknown}.`);
  return {
    api_name,
    settings,
    fields: Object.fromEntries(
      Object.entries(partsOf(fields, path, "fields")).map(([name, field]) => [name, withoutListValues(field)]),
    ),
    rules: partsOf(validation_rules, path, "validation_rules"),
  };
};

/** The objects of all files in a folder, in alphabetical order. */
export const readModel = async (folder: string): Promise<ModelObject[]> => {
  const names = await readdir(folder).catch(() => {
    throw new Failure("usage", `There is no folder ${folder}.`, { hint: "Write it: tenantry schema pull" });
  });
  const files = names.filter((name) => name.endsWith(".json")).sort();
  if (files.length === 0) throw new Failure("usage", `There are no objects in ${folder}.`);
  return Promise.all(
    files.map(async (name) => {
      const path = join(folder, name);
      return parseObject(await readFile(path, "utf8"), path);
    }),
  );
};
