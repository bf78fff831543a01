import type { Document } from "mongodb";
import { accumulator, expression } from "./expression.ts";
import { checkCount, checkName, checkPath, sortOrder } from "./fields.ts";
import { filter } from "./filter.ts";
import type { JsonPath } from "./json.ts";
import { isObject, type JsonObject, mapObject } from "./json.ts";
import { pipelineLimits } from "./limits.ts";
import { refuseStructure, type Scope, type Walk } from "./walk.ts";
import { windowFields } from "./window.ts";

/** Checks a stage's specification and gives the one to send. Issues go to the scope's walk. */
export type TranslateStage = (spec: unknown, jsonPath: JsonPath, scope: Scope) => unknown;

/** The specification as an object with these keys only. The first `needed` keys are required. */
export const optionsOf = (
  spec: unknown,
  jsonPath: JsonPath,
  walk: Walk,
  names: readonly string[],
  needed: number,
): JsonObject => {
  if (!isObject(spec)) {
    refuseStructure(walk, jsonPath, `expected an object with ${names.slice(0, Math.max(needed, 1)).join(", ")}.`);
    return {};
  }
  for (const key of Object.keys(spec)) {
    if (!names.includes(key)) refuseStructure(walk, [...jsonPath, key], "this option is not known here.");
  }
  for (const name of names.slice(0, needed)) {
    if (spec[name] === undefined) refuseStructure(walk, [...jsonPath, name], "this option is required.");
  }
  return spec;
};

/** `{path: expression, …}` */
const computed: TranslateStage = (spec, jsonPath, scope) => {
  if (!isObject(spec) || Object.keys(spec).length === 0) {
    refuseStructure(scope.walk, jsonPath, "expected an object of fields.");
    return {};
  }
  return mapObject(spec, (item, key) => {
    const at = [...jsonPath, key];
    return checkPath(key, at, scope.walk) ? expression(item, at, scope) : null;
  });
};

/** `{name: {$accumulator: …}, …}` */
const accumulated = (spec: JsonObject, jsonPath: JsonPath, scope: Scope): Document =>
  mapObject(spec, (item, key) => {
    const at = [...jsonPath, key];
    return checkName(key, at, scope.walk) ? accumulator("accumulators", item, at, scope) : null;
  });

const group: TranslateStage = (spec, jsonPath, scope) => {
  if (!isObject(spec) || spec._id === undefined) {
    refuseStructure(scope.walk, [...jsonPath, "_id"], "a group needs an _id, which may be null.");
    return {};
  }
  const { _id, ...fields } = spec;
  return { _id: expression(_id, [...jsonPath, "_id"], scope), ...accumulated(fields, jsonPath, scope) };
};

const bucket: TranslateStage = (spec, jsonPath, scope) => {
  const { walk } = scope;
  const options = optionsOf(spec, jsonPath, walk, ["groupBy", "boundaries", "default", "output"], 2);
  if (!isObject(options.output ?? {})) refuseStructure(walk, [...jsonPath, "output"], "expected an object of fields.");
  scope.uses.canFail = true;
  return mapObject(options, (item, key) => {
    const at = [...jsonPath, key];
    return key === "output" && isObject(item) ? accumulated(item, at, scope) : expression(item, at, scope);
  });
};

const unwind: TranslateStage = (spec, jsonPath, { walk }) => {
  const names = ["path", "includeArrayIndex", "preserveNullAndEmptyArrays"];
  const options = typeof spec === "string" ? { path: spec } : optionsOf(spec, jsonPath, walk, names, 1);
  const { path, includeArrayIndex } = options;
  if (typeof path !== "string" || !path.startsWith("$")) {
    refuseStructure(walk, jsonPath, 'expected the path of a list with its $, such as "$tags".');
  } else checkPath(path.slice(1), jsonPath, walk);
  if (includeArrayIndex !== undefined) checkPath(includeArrayIndex, [...jsonPath, "includeArrayIndex"], walk);
  return options;
};

const unset: TranslateStage = (spec, jsonPath, { walk }) => {
  const paths: readonly unknown[] = Array.isArray(spec) ? spec : [spec];
  if (paths.length === 0) refuseStructure(walk, jsonPath, "expected at least one field.");
  paths.forEach((path, index) => {
    checkPath(path, Array.isArray(spec) ? [...jsonPath, index] : jsonPath, walk);
  });
  return spec;
};

const count: TranslateStage = (spec, jsonPath, { walk }) => {
  checkName(spec, jsonPath, walk);
  return spec;
};

const whole =
  (least: number): TranslateStage =>
  (spec, jsonPath, { walk }) => {
    checkCount(spec, least, jsonPath, walk);
    return spec;
  };

const sample: TranslateStage = (spec, jsonPath, { walk }) => {
  walk.random = true;
  const { size } = optionsOf(spec, jsonPath, walk, ["size"], 1);
  const isCount = size === undefined || checkCount(size, 1, [...jsonPath, "size"], walk);
  if (isCount && Number(size) > pipelineLimits.sample) {
    refuseStructure(walk, [...jsonPath, "size"], `a sample has at most ${pipelineLimits.sample} records.`);
  }
  return { size };
};

const replaceRoot: TranslateStage = (spec, jsonPath, scope) => {
  const { newRoot } = optionsOf(spec, jsonPath, scope.walk, ["newRoot"], 1);
  return { newRoot: expression(newRoot ?? null, [...jsonPath, "newRoot"], scope) };
};

/** All stages that read no other collection. */
export const plainStages: Readonly<Record<string, TranslateStage>> = {
  $addFields: computed,
  $bucket: bucket,
  $count: count,
  $group: group,
  $limit: whole(1),
  $match: (spec, jsonPath, scope) => filter(spec, jsonPath, scope),
  $project: computed,
  $redact: (spec, jsonPath, scope) => expression(spec, jsonPath, { ...scope, redacts: true }),
  $replaceRoot: replaceRoot,
  $replaceWith: expression,
  $sample: sample,
  $set: computed,
  $setWindowFields: windowFields,
  $skip: whole(0),
  $sort: sortOrder,
  $sortByCount: expression,
  $unset: unset,
  $unwind: unwind,
};
