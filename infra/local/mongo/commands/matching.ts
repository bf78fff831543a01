import type { Operating } from "../engine.ts";
import type { Matcher } from "../match/matcher.ts";
import type { Found } from "../query/execute.ts";
import { run } from "../query/find.ts";
import type { Collection } from "../storage/catalog.ts";
import type { UpdateStatement } from "./update-statement.ts";

export function select(
  operating: Operating,
  collection: Collection,
  statement: Pick<UpdateStatement, "filter" | "sort" | "hint" | "collation" | "evaluation">,
  one: boolean,
): Found[] {
  const { filter, sort, hint, collation, evaluation } = statement;
  return run(operating, collection, { filter, sort, hint, collation, limit: one ? 1 : undefined }, evaluation).found;
}

/** A record that was found, as it is now: while a statement waits for a transaction others go on writing. */
export function stillThere(
  operating: Operating,
  collection: Collection,
  found: Found,
  matches: Matcher,
): Found | undefined {
  if (operating.transaction !== undefined) return found;
  const doc = collection.records.get(found.rid);
  if (doc === undefined || doc === found.doc) return doc && found;
  return matches(doc) ? { rid: found.rid, doc } : undefined;
}
