import { checkStage } from "../arguments/stages.ts";
import { failedToParse, MongoFault } from "../foundation/fault.ts";
import type { FilterContext } from "../match/matcher.ts";
import { isOperatorObject } from "../match/value-operators.ts";
import { compileTransform, updateStages } from "../transform/transform.ts";
import { equals, identical } from "../values/compare.ts";
import { Doc } from "../values/document.ts";
import { splitPath } from "../values/paths.ts";
import { type Maybe, Regex, type Value } from "../values/types.ts";
import type { Now } from "./fields.ts";
import { type ApplyOptions, compileModifiers } from "./modifiers.ts";
import { changeAt } from "./path.ts";

export interface Update {
  readonly kind: "modifiers" | "replacement" | "pipeline";
  apply(doc: Doc, options: ApplyOptions): Doc;
}

export function compileUpdate(spec: Maybe, arrayFilters: readonly Doc[], context: FilterContext, now: Now): Update {
  if (Array.isArray(spec)) return pipelineUpdate(spec, arrayFilters, context);
  if (!(spec instanceof Doc)) throw failedToParse("Update argument must be either an object or an array");
  if (spec.keys[0]?.startsWith("$")) {
    const modify = compileModifiers(spec, arrayFilters, context, now);
    return { kind: "modifiers", apply: (doc, options) => keepId(doc, withItsId(doc, modify(doc, options))) };
  }
  if (arrayFilters.length > 0) throw failedToParse("arrayFilters may not be specified for replacement-style updates");
  for (const key of spec.keys)
    if (key.startsWith("$"))
      throw new MongoFault(
        "DollarPrefixedFieldName",
        `The dollar ($) prefixed field '${key}' in '${key}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
      );
  return { kind: "replacement", apply: (doc) => keepId(doc, spec) };
}

function pipelineUpdate(stages: readonly Value[], arrayFilters: readonly Doc[], context: FilterContext): Update {
  if (arrayFilters.length > 0) throw failedToParse("arrayFilters may not be specified for pipeline-style updates");
  const transforms = stages.map((stage) => {
    if (!(stage instanceof Doc) || stage.size !== 1)
      throw new MongoFault("Location40323", "A pipeline stage specification object must contain exactly one field.");
    const name = stage.keys[0] as string;
    if (!updateStages.has(name))
      throw new MongoFault("InvalidOptions", `${name} is not allowed to be used within an update`);
    const spec = stage.values[0] as Value;
    checkStage(name, spec);
    return compileTransform(name, spec, context.scope);
  });
  const { frame } = context;
  return {
    kind: "pipeline",
    apply: (doc) =>
      keepId(
        doc,
        transforms.reduce((value, transform) => transform(value, frame), doc),
      ),
  };
}

const immutableId = (): MongoFault =>
  new MongoFault("ImmutableField", "Performing an update on the path '_id' would modify the immutable field '_id'");

/** A modifier that removes the _id ($unset, $rename) is refused. A replacement without an _id keeps it. */
function withItsId(old: Doc, next: Doc): Doc {
  if (old.has("_id") && !next.has("_id")) throw immutableId();
  return next;
}

/** The _id never changes and is the first field. */
export function keepId(old: Doc, next: Doc): Doc {
  if (next === old) return old;
  const id = old.get("_id");
  const nextId = next.get("_id");
  if (id === undefined) return next;
  if (nextId === undefined && next.size >= 0) return withIdFirst(id, next);
  if (!equals(id, nextId)) throw immutableId();
  return identical(id, nextId) && next.keys[0] === "_id" ? next : withIdFirst(id, next.without("_id"));
}

export const withIdFirst = (id: Value, doc: Doc): Doc => Doc.of(["_id", ...doc.keys], [id, ...doc.values]);

/** The initial document of an upsert: the fields that the filter sets equal to one value. */
export function upsertBase(filter: Doc): Doc {
  const fixed = new Map<string, Value>();
  collectFixed(filter, fixed);
  const paths = [...fixed.keys()];
  for (const path of paths) {
    for (const other of paths) {
      if (other !== path && other.startsWith(`${path}.`))
        throw new MongoFault(
          "NotSingleValueField",
          `cannot infer query fields to set, both paths '${path}' and '${other}' are matched`,
        );
    }
  }
  let doc = Doc.empty;
  for (const [path, value] of fixed) {
    doc = changeAt(
      doc,
      { path, parts: splitPath(path), creates: true, filters: new Map(), position: undefined },
      () => value,
    );
  }
  return doc;
}

function setFixed(fixed: Map<string, Value>, path: string, value: Value): void {
  if (fixed.has(path))
    throw new MongoFault("NotSingleValueField", `cannot infer query fields to set, path '${path}' is matched twice`);
  fixed.set(path, value);
}

function collectFixed(filter: Doc, fixed: Map<string, Value>): void {
  filter.keys.forEach((key, i) => {
    const value = filter.values[i] as Value;
    if (key === "$and" || (key === "$or" && Array.isArray(value) && value.length === 1)) {
      for (const clause of value as Value[]) if (clause instanceof Doc) collectFixed(clause, fixed);
    } else if (key.startsWith("$") || value instanceof Regex) return;
    else if (!isOperatorObject(value)) setFixed(fixed, key, value);
    else {
      value.keys.forEach((operator, k) => {
        const operand = value.values[k] as Value;
        if (operator === "$eq" && !(operand instanceof Regex)) setFixed(fixed, key, operand);
        else if ((operator === "$all" || operator === "$in") && Array.isArray(operand) && operand.length === 1) {
          const [only] = operand as [Value];
          if (!(only instanceof Regex) && !isOperatorObject(only)) setFixed(fixed, key, only);
        }
      });
    }
  });
}
