import type { Document } from "mongodb";
import { SENSITIVE_SCOPE } from "#shared/data/access/access";
import { expression, variablesOf } from "./expression.ts";
import { checkCount, checkName, checkPath } from "./fields.ts";
import { filter } from "./filter.ts";
import { guarded, readableFields, type Stage } from "./guard.ts";
import type { JsonPath } from "./json.ts";
import { isObject, type JsonObject, mapObject } from "./json.ts";
import { pipelineLimits } from "./limits.ts";
import { isReadable, type Source } from "./sources.ts";
import { optionsOf } from "./stages.ts";
import { newUses, refuse, refuseStructure, type Scope, type Walk, withVariables } from "./walk.ts";

/** A pipeline inside a stage. */
export type Nested = (
  pipeline: unknown,
  jsonPath: JsonPath,
  scope: Pick<Scope, "walk" | "variables" | "stored">,
  within: string,
) => readonly Stage[];

/** The same issue for an object that does not exist and for one that the caller may not read. */
export const refuseObject = (walk: Walk, jsonPath: JsonPath, name: string): void => {
  const meant = walk.sources.meant(name);
  const shown = name.length > 80 ? `${name.slice(0, 80)}…` : name;
  refuse(
    walk,
    jsonPath,
    "unknown_object",
    `there is no object "${shown}".${meant ? ` Did you mean "${meant}"?` : ""}`,
    {
      found: shown,
      ...(meant === undefined ? {} : { did_you_mean: meant }),
    },
  );
};

const sourceNamed = (name: unknown, jsonPath: JsonPath, { walk }: Scope): Source | undefined => {
  walk.joins += 1;
  if (walk.joins === pipelineLimits.joins + 1) {
    refuse(walk, jsonPath, "pipeline_too_complex", `a pipeline reads at most ${pipelineLimits.joins} further objects.`);
  }
  if (typeof name !== "string") {
    refuseStructure(walk, jsonPath, "expected the api_name of an object of this organization.");
    return undefined;
  }
  const found = walk.sources.find(name);
  if (found === undefined) refuseObject(walk, jsonPath, name);
  return found;
};

/** A field of a stored collection. Unreadable fields are reported as unknown. */
const refuseUnreadable = (walk: Walk, jsonPath: JsonPath, source: Source, path: string): void => {
  if (isReadable(source, path)) return;
  const found = path.slice(0, 80);
  const [root = ""] = path.split(".", 1);
  if (source.masked.has(root)) {
    const sentence = `"${root}" of "${source.name}" is sensitive, and you do not have the scope "${SENSITIVE_SCOPE}".`;
    refuse(walk, jsonPath, "unknown_field", sentence, { found });
    return;
  }
  const hint = source.masks.has(root) ? ` that you may read here; use "${root.slice(0, 80)}.id".` : ".";
  refuse(walk, jsonPath, "unknown_field", `"${source.name}" has no field "${found}"${hint}`, { found });
};

const foreignField = (path: unknown, source: Source | undefined, jsonPath: JsonPath, { walk }: Scope): string => {
  if (!checkPath(path, jsonPath, walk)) return "_id";
  if (source !== undefined) refuseUnreadable(walk, jsonPath, source, path);
  return path === "id" ? "_id" : path;
};

export const lookup = (spec: unknown, jsonPath: JsonPath, scope: Scope, nested: Nested): Document => {
  const { walk } = scope;
  const names = ["from", "as", "localField", "foreignField", "let", "pipeline"];
  const options = optionsOf(spec, jsonPath, walk, names, 2);
  const source = sourceNamed(options.from, [...jsonPath, "from"], scope);
  if (options.as !== undefined) checkPath(options.as, [...jsonPath, "as"], walk);
  const joined: Record<string, unknown> = { from: source?.name, as: options.as };
  const { localField, pipeline } = options;
  if (localField !== undefined || options.foreignField !== undefined) {
    checkPath(localField, [...jsonPath, "localField"], walk);
    joined.localField = localField;
    joined.foreignField = foreignField(options.foreignField, source, [...jsonPath, "foreignField"], scope);
  } else if (pipeline === undefined) {
    refuseStructure(walk, jsonPath, "expected localField and foreignField, or a pipeline, or both.");
  }
  let variables = scope;
  if (options.let !== undefined) {
    const bound = variablesOf(options.let, [...jsonPath, "let"], scope);
    joined.let = bound.values;
    variables = withVariables(scope, bound.names);
  }
  const stages =
    pipeline === undefined
      ? []
      : nested(pipeline, [...jsonPath, "pipeline"], { ...variables, stored: source ?? null }, "$lookup");
  return { $lookup: { ...joined, pipeline: source === undefined ? [] : guarded(source, stages) } };
};

export const unionWith = (spec: unknown, jsonPath: JsonPath, scope: Scope, nested: Nested): Document => {
  const options =
    typeof spec === "string" ? { coll: spec } : optionsOf(spec, jsonPath, scope.walk, ["coll", "pipeline"], 1);
  const { coll, pipeline }: JsonObject = options;
  const at = typeof spec === "string" ? jsonPath : [...jsonPath, "coll"];
  const source = sourceNamed(coll, at, scope);
  const stages =
    pipeline === undefined
      ? []
      : nested(pipeline, [...jsonPath, "pipeline"], { ...scope, stored: source ?? null }, "$unionWith");
  return { $unionWith: { coll: source?.name, pipeline: source === undefined ? [] : guarded(source, stages) } };
};

const graphOptions = [
  ..."from startWith connectFromField connectToField as maxDepth depthField restrictSearchWithMatch".split(" "),
];

/**
 * `$graphLookup` has no pipeline that could remove fields. It may use readable fields only, and its results are reduced
 * to readable fields before the caller's next stage.
 */
export const graphLookup = (spec: unknown, jsonPath: JsonPath, scope: Scope): Document[] => {
  const { walk } = scope;
  const options = optionsOf(spec, jsonPath, walk, graphOptions, 5);
  const { as, depthField, maxDepth } = options;
  const source = sourceNamed(options.from, [...jsonPath, "from"], scope);
  checkName(as, [...jsonPath, "as"], walk);
  if (depthField !== undefined) checkName(depthField, [...jsonPath, "depthField"], walk);
  if (maxDepth !== undefined) checkCount(maxDepth, 0, [...jsonPath, "maxDepth"], walk);
  const search: Record<string, unknown> = {
    ...options,
    from: source?.name,
    startWith: expression(options.startWith ?? null, [...jsonPath, "startWith"], scope),
    connectFromField: foreignField(options.connectFromField, source, [...jsonPath, "connectFromField"], scope),
    connectToField: foreignField(options.connectToField, source, [...jsonPath, "connectToField"], scope),
  };
  if (source === undefined) return [];
  const restriction = restrict(
    options.restrictSearchWithMatch,
    source,
    [...jsonPath, "restrictSearchWithMatch"],
    scope,
  );
  if (restriction !== null) search.restrictSearchWithMatch = restriction;
  const fields = {
    ...readableFields(source, "found"),
    ...(depthField ? { [String(depthField)]: `$$found.${depthField}` } : {}),
  };
  return [
    { $graphLookup: search },
    { $addFields: { [String(as)]: { $map: { input: `$${as}`, as: "found", in: fields } } } },
  ];
};

const restrict = (value: unknown, source: Source, jsonPath: JsonPath, scope: Scope): Document | null => {
  if (value === undefined) return source.filter;
  const uses = newUses();
  const own = filter(value, jsonPath, { ...scope, uses, stored: source });
  for (const path of uses.fields) refuseUnreadable(scope.walk, jsonPath, source, path);
  if (uses.canFail || uses.whole) {
    refuseStructure(scope.walk, jsonPath, "only comparisons of fields and values may stand here.");
  }
  return source.filter === null ? own : { $and: [source.filter, own] };
};

export const facet = (spec: unknown, jsonPath: JsonPath, scope: Scope, nested: Nested): Document => {
  const { walk } = scope;
  if (!isObject(spec) || Object.keys(spec).length === 0) {
    refuseStructure(walk, jsonPath, "expected an object of pipelines.");
    return {};
  }
  const facets = mapObject(spec, (pipeline, key) => {
    const at = [...jsonPath, key];
    checkName(key, at, walk);
    return nested(pipeline, at, { ...scope, stored: null }, "$facet").flatMap(({ documents }) => documents);
  });
  return { $facet: facets };
};
