import { Doc } from "../values/document.ts";
import type { Maybe } from "../values/types.ts";

/** Only documents lead on along the path: an array on the way ends it. */
export function plainValue(doc: Doc, parts: readonly string[]): Maybe {
  let value: Maybe = doc;
  for (const part of parts) value = value instanceof Doc ? value.get(part) : undefined;
  return value;
}

export function setPlain(doc: Doc, parts: readonly string[], value: Maybe, at = 0): Doc {
  const part = parts[at] as string;
  if (at === parts.length - 1) return value === undefined ? doc.without(part) : doc.with(part, value);
  const child = doc.get(part);
  return doc.with(part, setPlain(child instanceof Doc ? child : Doc.empty, parts, value, at + 1));
}
