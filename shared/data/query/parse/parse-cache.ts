import { boundedCache } from "#shared/foundation/bounded-cache";
import type { QueryLocation } from "../query-issue.ts";
import { parseQuery } from "./parse.ts";
import type { Query } from "./syntax.ts";

/** By the text of the query. A tree depends on nothing else and is never changed. */
const trees = boundedCache<Query>({ mostBytes: 16 * 1024 * 1024 });

/** `parseQuery` with a cache, because programs send the same queries repeatedly. */
export const parseCached = (text: string, loc: QueryLocation): Query => {
  const known = trees.get(text);
  if (known !== undefined) return known;
  const tree = parseQuery(text, loc);
  trees.set(text, tree);
  return tree;
};
