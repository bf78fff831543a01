import type { JsonPath } from "./json.ts";
import { isObject } from "./json.ts";
import { pipelineLimits } from "./limits.ts";
import { refuseStructure, type Scope, type Walk } from "./walk.ts";

/** A path such as `a` or `a.b.c`: no empty parts, none that begins with `$`. Else false, with an issue. */
export const checkPath = (path: unknown, jsonPath: JsonPath, walk: Walk): path is string => {
  const isPath = typeof path === "string" && path.split(".").every((part) => part !== "" && !part.startsWith("$"));
  if (!isPath) refuseStructure(walk, jsonPath, "expected the path of a field, such as name or company.id.");
  return isPath;
};

/** A field name without dots. */
export const checkName = (name: unknown, jsonPath: JsonPath, walk: Walk): name is string => {
  const isName = typeof name === "string" && name !== "" && !name.startsWith("$") && !name.includes(".");
  if (!isName) refuseStructure(walk, jsonPath, "expected the name of a field, without dots and $.");
  return isName;
};

/** Stored records have both `_id` and `id`; only `_id` has an index. */
const storedPath = (path: string, { stored }: Scope): string => (stored !== null && path === "id" ? "_id" : path);

/** Records that the path is read, and gives the path in the stored documents. */
export const readPath = (path: string, scope: Scope): string => {
  const actual = storedPath(path, scope);
  scope.uses.fields.add(actual);
  return actual;
};

/** `{path: 1 | -1, …}` */
export const sortOrder = (value: unknown, jsonPath: JsonPath, scope: Scope): Record<string, unknown> => {
  const { walk } = scope;
  if (!isObject(value) || Object.keys(value).length === 0) {
    refuseStructure(walk, jsonPath, "expected fields with 1 (ascending) or -1 (descending).");
    return {};
  }
  const keys = Object.keys(value);
  if (keys.length > pipelineLimits.sortKeys) {
    refuseStructure(walk, jsonPath, `an order has at most ${pipelineLimits.sortKeys} fields.`);
  }
  const order: [string, unknown][] = [];
  for (const key of keys) {
    if (!checkPath(key, [...jsonPath, key], walk)) continue;
    if (value[key] !== 1 && value[key] !== -1) {
      refuseStructure(walk, [...jsonPath, key], "expected 1 (ascending) or -1 (descending).");
    }
    const path = readPath(key, scope);
    if (!order.some(([earlier]) => earlier === path)) order.push([path, value[key]]);
  }
  return Object.fromEntries(order);
};

/** False, with an issue, if it is no integer of at least `least`. */
export const checkCount = (value: unknown, least: number, jsonPath: JsonPath, walk: Walk): value is number => {
  const isCount = typeof value === "number" && Number.isSafeInteger(value) && value >= least;
  if (!isCount) refuseStructure(walk, jsonPath, `expected a whole number of at least ${least}.`);
  return isCount;
};
