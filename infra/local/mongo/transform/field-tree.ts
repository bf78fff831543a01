import { type Expr, type Frame, fieldPath } from "../expressions/compile.ts";
import { countWork } from "../foundation/budget.ts";
import { MongoFault } from "../foundation/fault.ts";
import { Doc } from "../values/document.ts";
import { checkSize, estimateSize } from "../values/estimated-size.ts";
import type { Maybe, Value } from "../values/types.ts";

/** A tree of the paths in a stage's specification. A leaf says what happens to the field. */
export interface Branch {
  readonly children: Map<string, Branch>;
  leaf: Leaf | undefined;
}

export type Leaf =
  | { readonly kind: "include" }
  | { readonly kind: "exclude" }
  | { readonly kind: "compute"; readonly expr: Expr };

export const newBranch = (): Branch => ({ children: new Map(), leaf: undefined });

export function plant(root: Branch, path: string, leaf: Leaf): void {
  let branch = root;
  for (const part of fieldPath(path)) {
    if (branch.leaf !== undefined) throw new MongoFault("Location31250", `Path collision at ${path}`);
    let next = branch.children.get(part);
    if (next === undefined) {
      next = newBranch();
      branch.children.set(part, next);
    }
    branch = next;
  }
  if (branch.leaf !== undefined || branch.children.size > 0)
    throw new MongoFault("Location31250", `Path collision at ${path}`);
  branch.leaf = leaf;
}

/** Sets the computed leaves of a branch. Arrays along the path are mapped. */
export function compute(value: Maybe, branch: Branch, frame: Frame): Maybe {
  if (Array.isArray(value)) return value.map((item) => compute(item, branch, frame) ?? null);
  const keys = value instanceof Doc ? value.keys.slice() : [];
  const values = value instanceof Doc ? value.values.slice() : [];
  let estimatedSize = value instanceof Doc ? estimateSize(value) : 5;
  countWork(branch.children.size * (1 + (keys.length >> 4)));
  for (const [key, child] of branch.children) {
    const at = keys.indexOf(key);
    const old = at < 0 ? undefined : values[at];
    let next: Maybe;
    if (child.leaf === undefined) next = hasComputed(child) ? compute(old, child, frame) : old;
    else if (child.leaf.kind === "compute") next = child.leaf.expr(frame);
    else next = old;
    if (next !== old) estimatedSize += estimateField(key, next) - estimateField(key, old);
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
  const result = Doc.of(keys, values);
  // Updated by the difference: a value that grows with every stage is refused as soon as it is too large.
  result.estimatedSize = checkSize(Math.max(5, estimatedSize));
  return result;
}

const estimateField = (key: string, value: Maybe): number =>
  value === undefined ? 0 : key.length + 2 + estimateSize(value);

export function hasComputed(branch: Branch): boolean {
  if (branch.leaf !== undefined) return branch.leaf.kind === "compute";
  for (const child of branch.children.values()) if (hasComputed(child)) return true;
  return false;
}

/** Keeps only what the branch includes. */
export function keep(doc: Doc, branch: Branch): Doc {
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
    // An excluded element keeps its position if a field inside is computed.
    if (kept !== undefined || hasComputed(branch)) items.push(kept ?? null);
  }
  return items;
}

/** Drops what the branch excludes. */
export function drop(value: Value, branch: Branch): Value {
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
