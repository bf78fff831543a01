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

/** The current version of a found record, if it still matches: others may have written since it was found. */
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
 * Changes the first record that is found. Others may write between finding and changing, if the search yields or a
 * transaction has locked the record. The record is checked again, and if it has changed the search is repeated.
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
