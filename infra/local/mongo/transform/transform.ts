import { compile, type Frame, type Scope } from "../expressions/compile.ts";
import { MongoFault } from "../foundation/fault.ts";
import { Doc } from "../values/document.ts";
import { estimateSize } from "../values/estimated-size.ts";
import { typeName } from "../values/type-names.ts";
import type { Value } from "../values/types.ts";
import { type Branch, compute, newBranch, plant } from "./field-tree.ts";
import { applyProjection, readProjection } from "./project.ts";

/** Maps one document to another. Documents are immutable. */
export type Transform = (doc: Doc, frame: Frame) => Doc;

export const updateStages: ReadonlySet<string> = new Set([
  "$addFields",
  "$set",
  "$project",
  "$unset",
  "$replaceRoot",
  "$replaceWith",
]);

export function compileTransform(name: string, spec: Value, scope: Scope): Transform {
  switch (name) {
    case "$addFields":
    case "$set":
      return addFields(name, spec, scope);
    case "$project":
      return project(spec, scope);
    case "$unset":
      return unset(spec, scope);
    case "$replaceRoot":
    case "$replaceWith":
      return replaceRoot(name, spec, scope);
    default:
      throw new MongoFault("Location40324", `Unrecognized pipeline stage name: '${name}'`);
  }
}

function addFields(name: string, spec: Value, scope: Scope): Transform {
  if (!(spec instanceof Doc))
    throw new MongoFault("Location40272", `${name} specification stage must be an object, got ${typeName(spec)}`);
  if (spec.size === 0)
    throw new MongoFault("Location40177", `Invalid ${name} :: caused by :: specification must have at least one field`);
  const root = newBranch();
  plantComputed(root, "", spec, scope);
  return (doc, frame) => {
    frame[0] = doc;
    return compute(doc, root, frame) as Doc;
  };
}

function plantComputed(root: Branch, prefix: string, spec: Doc, scope: Scope): void {
  spec.keys.forEach((key, i) => {
    const value = spec.values[i] as Value;
    if (value instanceof Doc && !value.keys[0]?.startsWith("$") && value.size > 0)
      plantComputed(root, `${prefix}${key}.`, value, scope);
    else plant(root, prefix + key, { kind: "compute", expr: compile(value, scope) });
  });
}

function project(spec: Value, scope: Scope): Transform {
  if (!(spec instanceof Doc)) throw new MongoFault("Location15969", "$project specification must be an object");
  if (spec.size === 0)
    throw new MongoFault(
      "Location51272",
      "Invalid $project :: caused by :: projection specification must have at least one field",
    );
  const projection = readProjection(spec, scope);
  return (doc, frame) => applyProjection(doc, projection, frame);
}

function unset(spec: Value, scope: Scope): Transform {
  const paths = Array.isArray(spec) ? spec : [spec];
  if (paths.length === 0 || !paths.every((path) => typeof path === "string")) {
    throw new MongoFault("Location31002", "$unset specification must be a string or an array with at least one field");
  }
  return project(
    Doc.of(
      paths as string[],
      paths.map(() => 0),
    ),
    scope,
  );
}

function replaceRoot(name: string, spec: Value, scope: Scope): Transform {
  let source = spec;
  if (name === "$replaceRoot") {
    if (!(spec instanceof Doc))
      throw new MongoFault("Location40229", "expected an object as specification for $replaceRoot stage");
    const root = spec.get("newRoot");
    if (root === undefined || spec.size !== 1)
      throw new MongoFault("Location40231", "no newRoot specified for the $replaceRoot stage");
    source = root;
  }
  const expr = compile(source, scope);
  return (doc, frame) => {
    frame[0] = doc;
    const value = expr(frame);
    if (value instanceof Doc) {
      estimateSize(value);
      return value;
    }
    throw new MongoFault(
      "Location40228",
      `'newRoot' expression must evaluate to an object, but resulting value was of type: ${typeName(value)}`,
    );
  };
}
