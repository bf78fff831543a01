import { badValue, MongoFault } from "../foundation/fault.ts";
import { Doc } from "../values/document.ts";
import { arrayIndex } from "../values/paths.ts";
import { type Maybe, ObjectId, type Value } from "../values/types.ts";

/** The new value at the end of an update path; undefined means that there is no such field. */
export type Change = (old: Maybe, at: Place) => Maybe;

export interface Place {
  readonly path: string;
  readonly id: Maybe;
}

export interface Target {
  readonly path: string;
  readonly parts: readonly string[];
  /** Whether missing parents are created. */
  readonly creates: boolean;
  /** Tests of `$[name]`, by name. */
  readonly filters: ReadonlyMap<string, (item: Value) => boolean>;
  /** The array element of the positional operator `$`. */
  readonly position: number | undefined;
}

const longestPadding = 1_500_000;

/** One change while it descends along a path. */
interface Descent {
  readonly target: Target;
  readonly change: Change;
  readonly place: Place;
}

/** Rebuilds the values along a path. All others are shared with the old document. */
export function changeAt(root: Doc, target: Target, change: Change): Doc {
  return descend(root, 0, { target, change, place: { path: target.path, id: root.get("_id") } }) as Doc;
}

function descend(value: Maybe, i: number, descent: Descent): Maybe {
  const { target, change, place } = descent;
  const part = target.parts[i];
  if (part === undefined) return change(value, place);
  if (part === "$") return descendMatched(value, i, descent);
  if (part.startsWith("$[")) return descendEach(value, i, descent);
  if (value instanceof Doc) {
    const old = value.get(part);
    const next = descend(old, i + 1, descent);
    if (next === old) return value;
    return next === undefined ? value.without(part) : value.with(part, next);
  }
  const position = Array.isArray(value) ? arrayIndex(part) : -1;
  if (position >= 0) return descendItem(value as Value[], position, i, descent);
  if (!target.creates) return value;
  if (value !== undefined) {
    throw new MongoFault(
      "PathNotViable",
      `Cannot create field '${part}' in element {${target.parts[i - 1]}: ${describe(value)}}`,
    );
  }
  const next = descend(undefined, i + 1, descent);
  return next === undefined ? undefined : Doc.of([part], [next]);
}

function descendItem(items: readonly Value[], position: number, i: number, descent: Descent): Maybe {
  const old = items[position];
  const next = descend(old, i + 1, descent);
  if (next === old || (next === undefined && position >= items.length)) return items as Value[];
  if (position - items.length > longestPadding) throw badValue("can't backfill more than 1500000 elements");
  const copy = items.slice();
  while (copy.length < position) copy.push(null);
  // A removed element becomes null, so that the others keep their positions.
  copy[position] = next ?? null;
  return copy;
}

/** `$`: the element that the filter matched. */
function descendMatched(value: Maybe, i: number, descent: Descent): Maybe {
  const { target } = descent;
  if (target.position === undefined) {
    throw badValue("The positional operator did not find the match needed from the query.");
  }
  if (Array.isArray(value)) return descendItem(value, target.position, i, descent);
  return descend(value, i, { ...descent, target: { ...target, parts: target.parts.with(i, String(target.position)) } });
}

/** `$[]` and `$[name]`: every element, or those that pass the filter of that name. */
function descendEach(value: Maybe, i: number, descent: Descent): Maybe {
  const { parts, filters } = descent.target;
  if (value === undefined) {
    throw badValue(
      `The path '${parts.slice(0, i).join(".")}' must exist in the document in order to apply array updates.`,
    );
  }
  if (!Array.isArray(value))
    throw badValue(`Cannot apply array updates to non-array element ${parts[i - 1]}: ${describe(value)}`);
  const name = (parts[i] as string).slice(2, -1);
  const test = name === "" ? undefined : filters.get(name);
  let changed = false;
  const copy = value.map((item) => {
    if (test !== undefined && !test(item)) return item;
    const next = descend(item, i + 1, descent) ?? null;
    if (next !== item) changed = true;
    return next;
  });
  return changed ? copy : value;
}

export function describe(value: Maybe): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (value instanceof ObjectId) return `ObjectId('${Buffer.from(value.raw, "latin1").toString("hex")}')`;
  if (Array.isArray(value)) return `[ ${value.map(describe).join(", ")} ]`;
  if (value instanceof Doc)
    return `{ ${value.keys.map((key, i) => `${key}: ${describe(value.values[i])}`).join(", ")} }`;
  if (value !== null && typeof value === "object" && "value" in value) return String(value.value);
  return String(value);
}
