import type { Document } from "mongodb";
import { accumulator, expression } from "./expression.ts";
import { checkCount, checkName, checkPath, sortOrder } from "./fields.ts";
import { filter } from "./filter.ts";
import { isObject, type JsonObject, mapObject } from "./json.ts";
import { pipelineLimits } from "./limits.ts";
import type { Place } from "./place.ts";
import { refuseStructure, type Scope, type Walk } from "./walk.ts";
import { windowFields } from "./window.ts";

/** A stage's specification as the caller wrote it → what is sent. Failures are noted in the scope's walk. */
export type TranslateStage = (spec: unknown, place: Place, scope: Scope) => unknown;

/** The specification as an object with no other keys than these, of which the first `needed` must be there. */
export const optionsOf = (
  spec: unknown,
  place: Place,
  walk: Walk,
  names: readonly string[],
  needed: number,
): JsonObject => {
  if (!isObject(spec)) {
    refuseStructure(walk, place, `expected an object with ${names.slice(0, Math.max(needed, 1)).join(", ")}.`);
    return {};
  }
  for (const key of Object.keys(spec)) {
    if (!names.includes(key)) refuseStructure(walk, [...place, key], "this option is not known here.");
  }
  for (const name of names.slice(0, needed)) {
    if (spec[name] === undefined) refuseStructure(walk, [...place, name], "this option is required.");
  }
  return spec;
};

/** `{path: expression, …}` */
const computed: TranslateStage = (spec, place, scope) => {
  if (!isObject(spec) || Object.keys(spec).length === 0) {
    refuseStructure(scope.walk, place, "expected an object of fields.");
    return {};
  }
  return mapObject(spec, (item, key) => {
    const at = [...place, key];
    return checkPath(key, at, scope.walk) ? expression(item, at, scope) : null;
  });
};

/** `{name: {$accumulator: …}, …}` */
const accumulated = (spec: JsonObject, place: Place, scope: Scope): Document =>
  mapObject(spec, (item, key) => {
    const at = [...place, key];
    return checkName(key, at, scope.walk) ? accumulator("accumulators", item, at, scope) : null;
  });

const group: TranslateStage = (spec, place, scope) => {
  if (!isObject(spec) || spec._id === undefined) {
    refuseStructure(scope.walk, [...place, "_id"], "a group needs an _id, which may be null.");
    return {};
  }
  const { _id, ...fields } = spec;
  return { _id: expression(_id, [...place, "_id"], scope), ...accumulated(fields, place, scope) };
};

const bucket: TranslateStage = (spec, place, scope) => {
  const { walk } = scope;
  const options = optionsOf(spec, place, walk, ["groupBy", "boundaries", "default", "output"], 2);
  if (!isObject(options.output ?? {})) refuseStructure(walk, [...place, "output"], "expected an object of fields.");
  scope.uses.canFail = true;
  return mapObject(options, (item, key) => {
    const at = [...place, key];
    return key === "output" && isObject(item) ? accumulated(item, at, scope) : expression(item, at, scope);
  });
};

const unwind: TranslateStage = (spec, place, { walk }) => {
  const names = ["path", "includeArrayIndex", "preserveNullAndEmptyArrays"];
  const options = typeof spec === "string" ? { path: spec } : optionsOf(spec, place, walk, names, 1);
  const { path, includeArrayIndex } = options;
  if (typeof path !== "string" || !path.startsWith("$")) {
    refuseStructure(walk, place, 'expected the path of a list with its $, such as "$tags".');
  } else checkPath(path.slice(1), place, walk);
  if (includeArrayIndex !== undefined) checkPath(includeArrayIndex, [...place, "includeArrayIndex"], walk);
  return options;
};

const unset: TranslateStage = (spec, place, { walk }) => {
  const paths: readonly unknown[] = Array.isArray(spec) ? spec : [spec];
  if (paths.length === 0) refuseStructure(walk, place, "expected at least one field.");
  paths.forEach((path, index) => {
    checkPath(path, Array.isArray(spec) ? [...place, index] : place, walk);
  });
  return spec;
};

const count: TranslateStage = (spec, place, { walk }) => {
  checkName(spec, place, walk);
  return spec;
};

const whole =
  (least: number): TranslateStage =>
  (spec, place, { walk }) => {
    checkCount(spec, least, place, walk);
    return spec;
  };

const sample: TranslateStage = (spec, place, { walk }) => {
  walk.random = true;
  const { size } = optionsOf(spec, place, walk, ["size"], 1);
  const isCount = size === undefined || checkCount(size, 1, [...place, "size"], walk);
  if (isCount && Number(size) > pipelineLimits.sample) {
    refuseStructure(walk, [...place, "size"], `a sample has at most ${pipelineLimits.sample} records.`);
  }
  return { size };
};

const replaceRoot: TranslateStage = (spec, place, scope) => {
  const { newRoot } = optionsOf(spec, place, scope.walk, ["newRoot"], 1);
  return { newRoot: expression(newRoot ?? null, [...place, "newRoot"], scope) };
};

/** Every stage that reads no further collection. */
export const plainStages: Readonly<Record<string, TranslateStage>> = {
  $addFields: computed,
  $bucket: bucket,
  $count: count,
  $group: group,
  $limit: whole(1),
  $match: (spec, place, scope) => filter(spec, place, scope),
  $project: computed,
  $redact: (spec, place, scope) => expression(spec, place, { ...scope, redacts: true }),
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
