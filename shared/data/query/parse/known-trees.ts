import { boundedCache } from "#shared/foundation/bounded-cache";
import type { QueryLocation } from "../query-issue.ts";
import { parseQuery } from "./parse.ts";
import type { Query } from "./syntax.ts";

/** Text → its tree, which depends on nothing else and is never changed. Programs ask the same few questions again and again. */
const trees = boundedCache<Query>({ mostBytes: 16 * 1024 * 1024 });

/** As `parseQuery`, which it raises like; a text that was parsed lately is not parsed again. */
export const treeOf = (text: string, loc: QueryLocation): Query => {
  const known = trees.get(text);
  if (known !== undefined) return known;
  const tree = parseQuery(text, loc);
  trees.set(text, tree);
  return tree;
};
