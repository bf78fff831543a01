import { MongoFault } from "../foundation/fault.ts";
import { Doc } from "./document.ts";
import { checkSize, estimateSize } from "./estimated-size.ts";
import type { Maybe, Value } from "./types.ts";

const known = new Map<string, readonly string[]>();

/** BSON has no names with a NUL, and no path of that depth. */
export function checkParts(path: string, parts: readonly string[]): void {
  if (path.includes("\0")) throw new MongoFault("Location16411", "FieldPath field names may not contain '\\0'.");
  if (parts.length > deepestPath) throw new MongoFault("Location5984700", "FieldPath is too long");
}

const deepestPath = 200;
const longestKept = 200;

export function splitPath(path: string): readonly string[] {
  let parts = known.get(path);
  if (parts === undefined) {
    parts = path.split(".");
    checkParts(path, parts);
    if (path.length > longestKept) return parts;
    if (known.size > 10_000) known.clear();
    known.set(path, parts);
  }
  return parts;
}

/** The position that a path component names in an array, or -1. "00" and "1e3" are field names. */
export function arrayIndex(part: string): number {
  if (part.length === 0 || part.length > 9) return -1;
  for (let i = 0; i < part.length; i++) {
    const code = part.charCodeAt(i);
    if (code < 48 || code > 57) return -1;
  }
  return part.length > 1 && part.charCodeAt(0) === 48 ? -1 : Number(part);
}

/**
 * The value of an aggregation path ("$a.b"). Arrays along the path are mapped, arrays directly inside them are skipped,
 * and a number is a field name, never a position.
 */
export function readPath(value: Maybe, parts: readonly string[], from = 0): Maybe {
  let current = value;
  for (let i = from; i < parts.length; i++) {
    if (current instanceof Doc) current = current.get(parts[i] as string);
    else if (Array.isArray(current)) {
      const found: Value[] = [];
      for (const item of current) {
        if (!(item instanceof Doc)) continue;
        const part = readPath(item, parts, i);
        if (part !== undefined) found.push(part);
      }
      return found;
    } else return undefined;
  }
  return current;
}

/**
 * The values that a join looks for. A number may be a position, arrays along the path are mapped, and each element of
 * an array at the end is a value. A path that does not exist has none.
 */
export function joinValues(value: Maybe, parts: readonly string[], into: Value[], from = 0): Value[] {
  if (!(value instanceof Doc)) return into;
  let current = value.get(parts[from] as string);
  let at = from + 1;
  for (; at < parts.length && Array.isArray(current); at++) {
    const position = arrayIndex(parts[at] as string);
    if (position < 0) break;
    current = current[position];
  }
  if (at < parts.length)
    for (const item of Array.isArray(current) ? current : [current]) joinValues(item, parts, into, at);
  else if (Array.isArray(current)) into.push(...current);
  else if (current !== undefined) into.push(current);
  return into;
}

/** The value of a dotted path. A number is a position in an array, and arrays are not mapped. */
export function readPlain(value: Maybe, parts: readonly string[]): Maybe {
  let current = value;
  for (const part of parts) {
    if (current instanceof Doc) current = current.get(part);
    else if (Array.isArray(current)) current = current[arrayIndex(part)];
    else return undefined;
  }
  return current;
}

/**
 * The values at a path for a sort or an index: every element of arrays along the path and at its end. An empty array
 * counts as undefined, a path that does not exist as null. Returns whether there was an array.
 */
export function collectKeys(value: Maybe, parts: readonly string[], from: number, into: Maybe[]): boolean {
  let current = value;
  for (let i = from; i < parts.length; i++) {
    if (current instanceof Doc) {
      current = current.get(parts[i] as string);
      continue;
    }
    if (!Array.isArray(current)) {
      into.push(null);
      return false;
    }
    const position = arrayIndex(parts[i] as string);
    if (
      position >= 0 &&
      position < current.length &&
      !current.some((item) => item instanceof Doc && item.has(parts[i] as string))
    ) {
      collectKeys(current[position], parts, i + 1, into);
      return true;
    }
    if (current.length === 0) into.push(null);
    for (const item of current) {
      if (item instanceof Doc) collectKeys(item, parts, i, into);
      else into.push(null);
    }
    return true;
  }
  if (!Array.isArray(current)) {
    into.push(current === undefined ? null : current);
    return false;
  }
  if (current.length === 0) into.push(undefined);
  else for (const item of current) into.push(item);
  return true;
}

/** The value at a path of documents. An array along the path has no fields. */
export function plainValue(doc: Doc, parts: readonly string[]): Maybe {
  let value: Maybe = doc;
  for (const part of parts) value = value instanceof Doc ? value.get(part) : undefined;
  return value;
}

export function setPlain(doc: Doc, parts: readonly string[], value: Maybe, at = 0): Doc {
  const part = parts[at] as string;
  const child = doc.get(part);
  if (at === parts.length - 1) return value === undefined ? doc.without(part) : replaced(doc, part, child, value);
  return replaced(doc, part, child, setPlain(child instanceof Doc ? child : Doc.empty, parts, value, at + 1));
}

/** The document with a new value in one field. The estimated size is updated by the difference. */
function replaced(doc: Doc, name: string, old: Maybe, value: Value): Doc {
  const before = estimateSize(doc) - (old === undefined ? 0 : estimateSize(old) + name.length + 2);
  const result = doc.with(name, value);
  result.estimatedSize = checkSize(Math.max(5, before) + estimateSize(value) + name.length + 2);
  return result;
}
