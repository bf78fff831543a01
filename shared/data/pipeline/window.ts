import { accumulator, expression } from "./expression.ts";
import { checkPath, sortOrder } from "./fields.ts";
import type { JsonPath } from "./json.ts";
import { isObject, type JsonObject, mapObject } from "./json.ts";
import { refuseStructure, type Scope } from "./walk.ts";

const options = ["partitionBy", "sortBy", "output"];
const windowOptions = ["documents", "range", "unit"];

/** `$setWindowFields` */
export const windowFields = (spec: unknown, jsonPath: JsonPath, scope: Scope): JsonObject => {
  const { walk } = scope;
  if (!isObject(spec) || !isObject(spec.output)) {
    refuseStructure(walk, [...jsonPath, "output"], "expected an object of fields.");
    return {};
  }
  return mapObject(spec, (item, key) => {
    const at = [...jsonPath, key];
    if (!options.includes(key)) refuseStructure(walk, at, "this option is not known here.");
    if (key === "sortBy") return sortOrder(item, at, scope);
    return key === "output" && isObject(item) ? outputs(item, at, scope) : expression(item, at, scope);
  });
};

const outputs = (spec: JsonObject, jsonPath: JsonPath, scope: Scope): JsonObject =>
  mapObject(spec, (item, key) => {
    const at = [...jsonPath, key];
    if (!checkPath(key, at, scope.walk)) return null;
    const operator = accumulator("window", item, at, scope, ["window"]);
    const bounds = isObject(item) ? item.window : undefined;
    if (bounds === undefined) return operator;
    checkBounds(bounds, [...at, "window"], scope);
    return { ...operator, window: bounds };
  });

const checkBounds = (bounds: unknown, jsonPath: JsonPath, { walk }: Scope): void => {
  if (!isObject(bounds)) refuseStructure(walk, jsonPath, "expected documents or range.");
  for (const [key, value] of isObject(bounds) ? Object.entries(bounds) : []) {
    const at = [...jsonPath, key];
    if (!windowOptions.includes(key)) refuseStructure(walk, at, "this option is not known here.");
    const isRight = key === "unit" ? typeof value === "string" : Array.isArray(value) && value.every(isBound);
    if (!isRight) refuseStructure(walk, at, 'expected two bounds: numbers, "current" or "unbounded".');
  }
};

const isBound = (value: unknown): boolean => typeof value === "number" || value === "current" || value === "unbounded";
