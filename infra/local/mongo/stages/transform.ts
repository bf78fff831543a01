import { compile, type Expr, type Frame, fieldPath, isTrue, type Scope } from "../expressions/compile.ts";
import { MongoFault } from "../fault.ts";
import { Doc } from "../values/document.ts";
import { isNumeric } from "../values/numbers.ts";
import { typeName } from "../values/type-names.ts";
import type { Maybe, Value } from "../values/types.ts";

/** One document in, one out. Documents are never changed in place. */
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
      throw new MongoFault(40324, `Unrecognized pipeline stage name: '${name}'`);
  }
}

/** A tree of the paths that a stage names. A leaf says what becomes of the field. */
export interface Branch {
  readonly children: Map<string, Branch>;
  leaf: Leaf | undefined;
}

export type Leaf =
  | { readonly kind: "include" }
  | { readonly kind: "exclude" }
  | { readonly kind: "compute"; readonly expr: Expr };

const newBranch = (): Branch => ({ children: new Map(), leaf: undefined });

function plant(root: Branch, path: string, leaf: Leaf): void {
  let branch = root;
  for (const part of fieldPath(path)) {
    if (branch.leaf !== undefined) throw new MongoFault(31250, `Path collision at ${path}`);
    let next = branch.children.get(part);
    if (next === undefined) {
      next = newBranch();
      branch.children.set(part, next);
    }
    branch = next;
  }
  if (branch.leaf !== undefined || branch.children.size > 0) throw new MongoFault(31250, `Path collision at ${path}`);
  branch.leaf = leaf;
}

function addFields(name: string, spec: Value, scope: Scope): Transform {
  if (!(spec instanceof Doc))
    throw new MongoFault(40272, `${name} specification stage must be an object, got ${typeName(spec)}`);
  if (spec.size === 0)
    throw new MongoFault(40177, `Invalid ${name} :: caused by :: specification must have at least one field`);
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

/** Sets the computed leaves of a branch; arrays on the way are mapped over. */
function compute(value: Maybe, branch: Branch, frame: Frame): Maybe {
  if (Array.isArray(value)) return value.map((item) => compute(item, branch, frame) ?? null);
  const keys = value instanceof Doc ? value.keys.slice() : [];
  const values = value instanceof Doc ? value.values.slice() : [];
  for (const [key, child] of branch.children) {
    const at = keys.indexOf(key);
    const old = at < 0 ? undefined : values[at];
    let next: Maybe;
    if (child.leaf === undefined) next = hasComputed(child) ? compute(old, child, frame) : old;
    else if (child.leaf.kind === "compute") next = child.leaf.expr(frame);
    else next = old;
    if (next === undefined) {
      if (at >= 0) {
        keys.splice(at, 1);
        values.splice(at, 1);
      }
    } else if (at >= 0) values[at] = next;
    else {
      keys.push(key);
      values.push(next);
    }
  }
  return Doc.of(keys, values);
}

function hasComputed(branch: Branch): boolean {
  if (branch.leaf !== undefined) return branch.leaf.kind === "compute";
  for (const child of branch.children.values()) if (hasComputed(child)) return true;
  return false;
}

/** Keeps only what the branch includes. */
function keep(doc: Doc, branch: Branch): Doc {
  const keys: string[] = [];
  const values: Value[] = [];
  const { keys: names, values: olds } = doc;
  for (let i = 0; i < names.length; i++) {
    const child = branch.children.get(names[i] as string);
    if (child === undefined || child.leaf?.kind === "compute") continue;
    const next = child.leaf === undefined ? keepInside(olds[i] as Value, child) : olds[i];
    if (next === undefined) continue;
    keys.push(names[i] as string);
    values.push(next);
  }
  return Doc.of(keys, values);
}

function keepInside(value: Value, branch: Branch): Maybe {
  if (value instanceof Doc) return keep(value, branch);
  if (!Array.isArray(value)) return undefined;
  const items: Value[] = [];
  for (const item of value) {
    const kept = keepInside(item, branch);
    if (kept !== undefined) items.push(kept);
  }
  return items;
}

/** Drops what the branch excludes. */
function drop(value: Value, branch: Branch): Value {
  if (Array.isArray(value)) return value.map((item) => drop(item, branch));
  if (!(value instanceof Doc)) return value;
  const keys: string[] = [];
  const values: Value[] = [];
  const { keys: names, values: olds } = value;
  for (let i = 0; i < names.length; i++) {
    const child = branch.children.get(names[i] as string);
    if (child?.leaf?.kind === "exclude") continue;
    keys.push(names[i] as string);
    values.push(child === undefined || child.leaf !== undefined ? (olds[i] as Value) : drop(olds[i] as Value, child));
  }
  return Doc.of(keys, values);
}

export interface Projection {
  readonly root: Branch;
  readonly mode: "include" | "exclude";
}

const switchOf = (value: Value): boolean | undefined =>
  typeof value === "boolean" || isNumeric(value) ? isTrue(value) : undefined;

/** `special` may take a field out of the plain rules (find's $slice, $elemMatch and positional projections). */
export type SpecialField = (path: string, value: Value) => "include" | "keep" | undefined;

type Mode = Projection["mode"];

interface Reading {
  readonly root: Branch;
  readonly scope: Scope;
  readonly special: SpecialField | undefined;
  mode: Mode | undefined;
  id: Mode | undefined;
  /** A special field that includes, if nothing else decides. */
  includes: boolean;
}

const nouns = { include: "inclusion", exclude: "exclusion" } as const;

function decide(reading: Reading, wanted: Mode, path: string): void {
  const { mode } = reading;
  if (mode !== undefined && mode !== wanted) {
    const message = `Invalid $project :: caused by :: Cannot do ${nouns[wanted]} on field ${path} in ${nouns[mode]} projection`;
    throw new MongoFault(wanted === "include" ? 31253 : 31254, message);
  }
  reading.mode = wanted;
}

function readField(reading: Reading, path: string, value: Value): void {
  const { root, scope } = reading;
  const taken = reading.special?.(path, value);
  const on = switchOf(value);
  if (taken !== undefined) {
    reading.includes ||= taken === "include";
    plant(root, path.replace(/\.\$$/, ""), { kind: "include" });
  } else if (on !== undefined) {
    const kind = on ? "include" : "exclude";
    if (path === "_id") reading.id = kind;
    else decide(reading, kind, path);
    plant(root, path, { kind });
  } else if (value instanceof Doc && !value.keys[0]?.startsWith("$")) {
    if (value.size === 0)
      throw new MongoFault(51270, `An empty sub-projection is not a valid value. Found empty object at path ${path}`);
    value.keys.forEach((key, i) => void readField(reading, `${path}.${key}`, value.values[i] as Value));
  } else {
    decide(reading, "include", path);
    plant(root, path, { kind: "compute", expr: compile(value, scope) });
  }
}

export function readProjection(spec: Doc, scope: Scope, special?: SpecialField): Projection {
  const root = newBranch();
  const reading: Reading = { root, scope, special, mode: undefined, id: undefined, includes: false };
  spec.keys.forEach((key, i) => void readField(reading, key, spec.values[i] as Value));
  const mode = reading.mode ?? (reading.id === "include" || reading.includes ? "include" : "exclude");
  if (mode === "include" && reading.id === "exclude") root.children.delete("_id");
  else if (mode === "include" && !root.children.has("_id")) plant(root, "_id", { kind: "include" });
  return { root, mode };
}

export function applyProjection(doc: Doc, { root, mode }: Projection, frame: Frame): Doc {
  if (mode === "exclude") return drop(doc, root) as Doc;
  const kept = keep(doc, root);
  if (!hasComputed(root)) return kept;
  frame[0] = doc;
  return compute(kept, root, frame) as Doc;
}

function project(spec: Value, scope: Scope): Transform {
  if (!(spec instanceof Doc)) throw new MongoFault(15969, "$project specification must be an object");
  if (spec.size === 0)
    throw new MongoFault(
      51272,
      "Invalid $project :: caused by :: projection specification must have at least one field",
    );
  const projection = readProjection(spec, scope);
  return (doc, frame) => applyProjection(doc, projection, frame);
}

function unset(spec: Value, scope: Scope): Transform {
  const paths = Array.isArray(spec) ? spec : [spec];
  if (paths.length === 0 || !paths.every((path) => typeof path === "string")) {
    throw new MongoFault(31002, "$unset specification must be a string or an array with at least one field");
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
      throw new MongoFault(40229, "expected an object as specification for $replaceRoot stage");
    const root = spec.get("newRoot");
    if (root === undefined || spec.size !== 1)
      throw new MongoFault(40231, "no newRoot specified for the $replaceRoot stage");
    source = root;
  }
  const expr = compile(source, scope);
  return (doc, frame) => {
    frame[0] = doc;
    const value = expr(frame);
    if (value instanceof Doc) return value;
    throw new MongoFault(
      40228,
      `'newRoot' expression must evaluate to an object, but resulting value was of type: ${typeName(value)}`,
    );
  };
}
