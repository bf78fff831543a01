import { Doc } from "../values/document.ts";
import { arrayIndex } from "../values/paths.ts";
import type { Maybe } from "../values/types.ts";

/** The array element of the last successful match: the position of the operator `$`. */
export const matched: { index: number | undefined } = { index: undefined };

export type Test = (value: Maybe) => boolean;

/**
 * Whether any value at a path passes the test. Arrays along the path are entered, one level deep and only for their
 * documents. A path component that is a number may also be a position. With `expand`, the elements of an array at the
 * end of the path are tested before the array itself.
 */
export function matchPath(start: Maybe, parts: readonly string[], from: number, test: Test, expand: boolean): boolean {
  let value = start;
  for (let i = from; i < parts.length; i++) {
    if (value instanceof Doc) value = value.get(parts[i] as string);
    else if (Array.isArray(value)) {
      const position = arrayIndex(parts[i] as string);
      if (position >= 0 && position < value.length && matchPath(value[position], parts, i + 1, test, expand))
        return true;
      for (let k = 0; k < value.length; k++) {
        const item = value[k];
        if (item instanceof Doc && matchPath(item, parts, i, test, expand)) {
          matched.index = k;
          return true;
        }
      }
      return false;
    } else {
      value = undefined;
      break;
    }
  }
  if (expand && Array.isArray(value)) {
    for (let k = 0; k < value.length; k++) {
      if (test(value[k])) {
        matched.index = k;
        return true;
      }
    }
  }
  return test(value);
}
