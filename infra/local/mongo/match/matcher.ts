import type { Frame, Scope } from "../expressions/compile.ts";
import type { Doc } from "../values/document.ts";
import { matched, matchPath, type Test } from "./match-path.ts";

export type Matcher = (doc: Doc) => boolean;

/** What a filter refers to besides the document: variables of $expr and the collation. */
export interface FilterContext {
  readonly scope: Scope;
  readonly frame: Frame;
  /** Set while array elements themselves are matched: [[5]] has no element above 4. */
  readonly flat?: boolean;
}

export function all(parts: readonly Matcher[]): Matcher {
  const [first, second] = parts;
  if (first === undefined) return () => true;
  if (second === undefined) return first;
  if (parts.length === 2) return (doc) => first(doc) && second(doc);
  return (doc) => {
    for (const part of parts) if (!part(doc)) return false;
    return true;
  };
}

export function onPath(parts: readonly string[], test: Test, expand: boolean): Matcher {
  if (parts.length === 1) {
    const [name] = parts as [string];
    return (doc) => {
      const value = doc.get(name);
      return Array.isArray(value) ? matchPath(value, parts, 1, test, expand) : test(value);
    };
  }
  return (doc) => matchPath(doc, parts, 0, test, expand);
}

/** The same test without an effect on the positional operator. */
export const unpositioned =
  (matcher: Matcher): Matcher =>
  (doc) => {
    const before = matched.index;
    const result = matcher(doc);
    matched.index = before;
    return result;
  };

export const negated = (matcher: Matcher): Matcher => unpositioned((doc) => !matcher(doc));
