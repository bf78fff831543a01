import { Doc } from "../values/document.ts";
import type { Maybe, Value } from "../values/types.ts";
import { checked, weightOf } from "../values/weight.ts";

/** Only documents lead on along the path: an array on the way ends it. */
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

/** The document with another value in one field, and its weight, which is known from what changed. */
function replaced(doc: Doc, name: string, old: Maybe, value: Value): Doc {
  const before = weightOf(doc) - (old === undefined ? 0 : weightOf(old) + name.length + 2);
  const result = doc.with(name, value);
  result.weight = checked(Math.max(5, before) + weightOf(value) + name.length + 2);
  return result;
}
