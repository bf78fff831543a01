import { LRUCache } from "lru-cache";
import { parseQuery } from "./parse.ts";
import type { QueryLocation } from "./query-issue.ts";
import type { Query } from "./syntax.ts";

/** In characters of text, for one execution environment. */
const MOST_TEXT = 512 * 1024;

/** Text → its tree, which depends on nothing else and is never changed. Programs ask the same few questions again and again. */
const trees = new LRUCache<string, Query>({ maxSize: MOST_TEXT, sizeCalculation: (_, text) => text.length + 1 });

/** As `parseQuery`, which it raises like; a text that was parsed lately is not parsed again. */
export const treeOf = (text: string, loc: QueryLocation): Query => {
  const known = trees.get(text);
  if (known !== undefined) return known;
  const tree = parseQuery(text, loc);
  trees.set(text, tree);
  return tree;
};
