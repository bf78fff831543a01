import type { Operating } from "../execution/context.ts";
import { patience } from "../execution/lock-wait.ts";
import type { Routine } from "../foundation/routine.ts";
import type { Matcher } from "../match/matcher.ts";
import type { Found } from "../query/execute.ts";
import { run } from "../query/find.ts";
import type { Collection } from "../storage/catalog.ts";
import { HeldByTransaction } from "../storage/transactions.ts";
import type { UpdateStatement } from "./update-statement.ts";

type Selection = Pick<UpdateStatement, "filter" | "sort" | "hint" | "collation" | "evaluation">;

export function* select(
  operating: Operating,
  collection: Collection,
  statement: Selection,
  one: boolean,
): Routine<Found[]> {
  const { filter, sort, hint, collation, evaluation } = statement;
  const query = { filter, sort, hint, collation, limit: one ? 1 : undefined };
  return (yield* run(operating, collection, query, evaluation)).found;
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

/**
 * Changes the first record that is found. Between finding and changing others may have written: the search may have given
 * way, or a transaction held the record. So what was found is looked at again, and searched for again if it is another.
 */
export function* changeFirst(
  operating: Operating,
  collection: Collection,
  statement: Selection,
  matches: Matcher,
  change: (found: Found | undefined) => void,
): Routine<void> {
  for (;;) {
    const [found] = yield* select(operating, collection, statement, true);
    try {
      if (found === undefined || stillThere(operating, collection, found, matches) === found) {
        change(found);
        return;
      }
    } catch (error) {
      if (!(error instanceof HeldByTransaction)) throw error;
      yield* patience(operating, error);
    }
    yield;
  }
}
