import type { CommandContext } from "../execution/context.ts";
import { waitForTransaction } from "../execution/retry-after-lock.ts";
import type { Coroutine } from "../foundation/coroutine.ts";
import type { Matcher } from "../match/matcher.ts";
import type { FoundRecord } from "../query/execute.ts";
import { runQuery } from "../query/find.ts";
import type { Collection } from "../storage/catalog.ts";
import { LockedByTransaction } from "../storage/transactions.ts";
import type { UpdateStatement } from "./update-statement.ts";

type Selection = Pick<UpdateStatement, "filter" | "sort" | "hint" | "collation" | "evaluation">;

export function* select(
  context: CommandContext,
  collection: Collection,
  statement: Selection,
  one: boolean,
): Coroutine<FoundRecord[]> {
  const { filter, sort, hint, collation, evaluation } = statement;
  const query = { filter, sort, hint, collation, limit: one ? 1 : undefined };
  return (yield* runQuery(context, collection, query, evaluation)).found;
}

/** A record that was found, as it is now: while a statement waits for a transaction others go on writing. */
export function currentVersion(
  context: CommandContext,
  collection: Collection,
  found: FoundRecord,
  matches: Matcher,
): FoundRecord | undefined {
  if (context.transaction !== undefined) return found;
  const doc = collection.records.get(found.rid);
  if (doc === undefined || doc === found.doc) return doc && found;
  return matches(doc) ? { rid: found.rid, doc } : undefined;
}

/**
 * Changes the first record that is found. Between finding and changing others may have written: the search may have given
 * way, or a transaction held the record. So what was found is looked at again, and searched for again if it is another.
 */
export function* changeFirst(
  context: CommandContext,
  collection: Collection,
  statement: Selection,
  matches: Matcher,
  change: (found: FoundRecord | undefined) => void,
): Coroutine<void> {
  for (;;) {
    const [found] = yield* select(context, collection, statement, true);
    try {
      if (found === undefined || currentVersion(context, collection, found, matches) === found) {
        change(found);
        return;
      }
    } catch (error) {
      if (!(error instanceof LockedByTransaction)) throw error;
      yield* waitForTransaction(context, error);
    }
    yield;
  }
}
