import { type Expr, type Frame, fieldPath } from "../expressions/compile.ts";
import { countWork } from "../foundation/budget.ts";
import { MongoFault } from "../foundation/fault.ts";
import { Doc } from "../values/document.ts";
import { estimateSize } from "../values/estimated-size.ts";
import { kept, splice } from "../values/splice.ts";
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
  const doc = value instanceof Doc ? value : Doc.empty;
  estimateSize(doc);
  countWork(branch.children.size);
  const computed = new Map<string, Maybe>();
  for (const [key, child] of branch.children) {
    if (child.leaf === undefined) {
      if (hasComputed(child)) computed.set(key, compute(doc.get(key), child, frame));
    } else if (child.leaf.kind === "compute") computed.set(key, child.leaf.expr(frame));
  }
  return splice(
    doc,
    ({ key }) => {
      const next = computed.get(key);
      // If a document has a name twice, only the first field is set.
      return computed.delete(key) ? next : kept;
    },
    () => computed,
  );
}

export function hasComputed(branch: Branch): boolean {
  if (branch.leaf !== undefined) return branch.leaf.kind === "compute";
  for (const child of branch.children.values()) if (hasComputed(child)) return true;
  return false;
}

/** Keeps only what the branch includes. */
export const keep = (doc: Doc, branch: Branch): Doc =>
  splice(doc, (field) => {
    const child = branch.children.get(field.key);
    if (child === undefined || child.leaf?.kind === "compute") return undefined;
    return child.leaf === undefined ? keepInside(field.value(), child) : kept;
  });

function keepInside(value: Value, branch: Branch): Maybe {
  if (value instanceof Doc) return keep(value, branch);
  if (!Array.isArray(value)) return undefined;
  const items: Value[] = [];
  for (const item of value) {
    const inside = keepInside(item, branch);
    // An excluded element keeps its position if a field inside is computed.
    if (inside !== undefined || hasComputed(branch)) items.push(inside ?? null);
  }
  return items;
}

/** Drops what the branch excludes. */
export function drop(value: Value, branch: Branch): Value {
  if (Array.isArray(value)) return value.map((item) => drop(item, branch));
  if (!(value instanceof Doc)) return value;
  return splice(value, (field) => {
    const child = branch.children.get(field.key);
    if (child?.leaf?.kind === "exclude") return undefined;
    return child === undefined || child.leaf !== undefined ? kept : drop(field.value(), child);
  });
}
