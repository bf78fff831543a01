import { boundedCache } from "#shared/foundation/bounded-cache";
import type { QueryLocation } from "../query-issue.ts";
import { parseQuery } from "./parse.ts";
import type { Query } from "./syntax.ts";

/** By the query's text. A tree depends on nothing else and is never changed. */
const trees = boundedCache<Query>({ mostBytes: 16 * 1024 * 1024 });

/** Like `parseQuery`, with a cache: programs send the same few queries again and again. */
export const parseCached = (text: string, loc: QueryLocation): Query => {
  const known = trees.get(text);
  if (known !== undefined) return known;
  const tree = parseQuery(text, loc);
  trees.set(text, tree);
  return tree;
};
