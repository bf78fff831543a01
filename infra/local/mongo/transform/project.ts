import { compile, type Expr, type Frame, type Scope } from "../expressions/compile.ts";
import { MongoFault } from "../foundation/fault.ts";
import { Doc } from "../values/document.ts";
import { isNumeric, isTrue } from "../values/numbers.ts";
import type { Value } from "../values/types.ts";
import { type Branch, compute, drop, hasComputed, keep, type Leaf, newBranch, plant } from "./field-tree.ts";

export interface Projection {
  readonly root: Branch;
  readonly mode: "include" | "exclude";
}

const switchOf = (value: Value): boolean | undefined =>
  typeof value === "boolean" || isNumeric(value) ? isTrue(value) : undefined;

/**
 * Handles fields with rules of their own (find's $slice, $elemMatch and positional projections): the field is kept as
 * it is, or an expression computes its value.
 */
export type SpecialField = (path: string, value: Value) => "include" | "keep" | Expr | undefined;

type Mode = Projection["mode"];

interface Reading {
  readonly root: Branch;
  readonly scope: Scope;
  readonly special: SpecialField | undefined;
  mode: Mode | undefined;
  id: Mode | undefined;
  /** A special field makes the projection an inclusion, if no other field decides. */
  includes: boolean;
}

const nouns = { include: "inclusion", exclude: "exclusion" } as const;

function decide(reading: Reading, wanted: Mode, path: string): void {
  const { mode } = reading;
  if (mode !== undefined && mode !== wanted) {
    const message = `Invalid $project :: caused by :: Cannot do ${nouns[wanted]} on field ${path} in ${nouns[mode]} projection`;
    throw new MongoFault(wanted === "include" ? "Location31253" : "Location31254", message);
  }
  reading.mode = wanted;
}

function readField(reading: Reading, path: string, value: Value): void {
  const { root, scope } = reading;
  const taken = reading.special?.(path, value);
  const on = switchOf(value);
  if (taken !== undefined) {
    reading.includes ||= taken !== "keep";
    const leaf: Leaf = typeof taken === "string" ? { kind: "include" } : { kind: "compute", expr: taken };
    plant(root, path.replace(/\.\$$/, ""), leaf);
  } else if (on !== undefined) {
    const kind = on ? "include" : "exclude";
    if (path === "_id") reading.id = kind;
    else decide(reading, kind, path);
    plant(root, path, { kind });
  } else if (value instanceof Doc && !value.keys[0]?.startsWith("$")) {
    if (value.size === 0)
      throw new MongoFault(
        "Location51270",
        `An empty sub-projection is not a valid value. Found empty object at path ${path}`,
      );
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
  const kept = mode === "exclude" ? (drop(doc, root) as Doc) : keep(doc, root);
  if (!hasComputed(root)) return kept;
  frame[0] = doc;
  return compute(kept, root, frame) as Doc;
}
