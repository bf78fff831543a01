import { isDeepStrictEqual } from "node:util";
import { path, type Request } from "../connection/request.ts";
import type { ModelObject } from "./model-files.ts";

/** One request that brings the platform's model nearer to the files, and its line in the diff. */
export interface ModelChange {
  readonly line: string;
  readonly request: Request;
}

type Part = Readonly<Record<string, unknown>>;

/** The settings of `wanted` that `current` does not have like that. */
const differences = (wanted: Part, current: Part): Part =>
  Object.fromEntries(Object.entries(wanted).filter(([key, value]) => !isDeepStrictEqual(value, current[key])));

const listed = (part: Part): string => Object.keys(part).join(", ");

const fieldRequest = (method: "POST" | "PATCH", object: string, name: string, settings: Part): Request => ({
  method,
  path: "/v1/schema/field",
  json: { object_id: object, api_name: name, ...settings },
});

const fieldChanges = ({ api_name, fields }: ModelObject, known: ModelObject): ModelChange[] =>
  Object.entries(fields).flatMap(([name, field]): ModelChange[] => {
    const current = known.fields[name];
    if (current === undefined) {
      return [{ line: `+ field ${api_name}.${name}`, request: fieldRequest("POST", api_name, name, field) }];
    }
    const changed = differences(field, current);
    if (Object.keys(changed).length === 0) return [];
    const line = `~ field ${api_name}.${name}: ${listed(changed)}`;
    return [{ line, request: fieldRequest("PATCH", api_name, name, changed) }];
  });

const ruleChanges = ({ api_name, rules }: ModelObject, known: ModelObject): ModelChange[] =>
  Object.entries(rules).flatMap(([name, rule]): ModelChange[] => {
    const current = known.rules[name];
    const base = path`/v1/schema/${api_name}/validation-rule`;
    if (current === undefined) {
      const json = { api_name: name, ...rule };
      return [{ line: `+ rule ${api_name}.${name}`, request: { method: "POST", path: base, json } }];
    }
    const json = differences(rule, current);
    if (Object.keys(json).length === 0) return [];
    const request: Request = { method: "PATCH", path: `${base}${path`/${name}`}`, json };
    return [{ line: `~ rule ${api_name}.${name}: ${listed(json)}`, request }];
  });

const removals = (known: ModelObject, wanted: ModelObject): ModelChange[] => {
  const { api_name } = known;
  const rules = Object.keys(known.rules).filter((name) => !Object.hasOwn(wanted.rules, name));
  const fields = Object.keys(known.fields).filter((name) => !Object.hasOwn(wanted.fields, name));
  return [
    ...rules.map((name): ModelChange => {
      const request: Request = { method: "DELETE", path: path`/v1/schema/${api_name}/validation-rule/${name}` };
      return { line: `- rule ${api_name}.${name}`, request };
    }),
    ...fields.map((name): ModelChange => {
      const request: Request = { method: "DELETE", path: path`/v1/schema/${api_name}/${name}` };
      return { line: `- field ${api_name}.${name}`, request };
    }),
  ];
};

const empty = (api_name: string): ModelObject => ({ api_name, settings: {}, fields: {}, rules: {} });

/**
 * What has to be done so that the platform has what the files say. New objects come first and without fields, because
 * lookups may point to any of them. Objects without a file stay; fields and rules that a file does not have are deleted only
 * with `prune`.
 */
export const modelChanges = (
  files: readonly ModelObject[],
  platform: ReadonlyMap<string, ModelObject>,
  { prune }: { readonly prune: boolean },
): ModelChange[] => {
  const created = files.filter(({ api_name }) => !platform.has(api_name));
  const nameField = (object: ModelObject): Part[] =>
    object.fields.name === undefined ? [] : [{ api_name: "name", ...object.fields.name }];
  const creations = created.map((object): ModelChange => {
    const json = { api_name: object.api_name, name: object.api_name, ...object.settings, fields: nameField(object) };
    return { line: `+ object ${object.api_name}`, request: { method: "POST", path: "/v1/schema", json } };
  });
  const updates = files.flatMap((object): ModelChange[] => {
    const current = platform.get(object.api_name);
    const changed = current === undefined ? {} : differences(object.settings, current.settings);
    if (Object.keys(changed).length === 0) return [];
    const request: Request = { method: "PATCH", path: "/v1/schema", json: { id: object.api_name, ...changed } };
    return [{ line: `~ object ${object.api_name}: ${listed(changed)}`, request }];
  });
  const knownOf = (object: ModelObject): ModelObject =>
    platform.get(object.api_name) ?? { ...empty(object.api_name), fields: { name: object.fields.name ?? {} } };
  return [
    ...creations,
    ...updates,
    ...files.flatMap((object) => fieldChanges(object, knownOf(object))),
    ...files.flatMap((object) => ruleChanges(object, knownOf(object))),
    ...(prune ? files.flatMap((object) => removals(platform.get(object.api_name) ?? empty(""), object)) : []),
  ];
};
