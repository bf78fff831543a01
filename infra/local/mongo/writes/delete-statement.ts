import { findCollection } from "../execution/collections.ts";
import type { CommandContext } from "../execution/context.ts";
import { collationOf, evaluationOf } from "../execution/evaluation.ts";
import { retryAfterLock } from "../execution/retry-after-lock.ts";
import { shouldYield } from "../foundation/budget.ts";
import type { Coroutine } from "../foundation/coroutine.ts";
import { MongoFault } from "../foundation/fault.ts";
import { compileFilter } from "../match/filter.ts";
import type { FoundRecord } from "../query/execute.ts";
import type { Doc } from "../values/document.ts";
import { toInteger } from "../values/numbers.ts";
import type { Maybe } from "../values/types.ts";
import { changeFirst, currentVersion, select } from "./matching.ts";
import { checkRecordWritable, remove } from "./records.ts";
import type { UpdateStatement } from "./update-statement.ts";

export interface DeleteStatement
  extends Pick<UpdateStatement, "filter" | "sort" | "hint" | "collation" | "evaluation"> {
  readonly one: boolean;
}

export function readDelete(context: CommandContext, spec: Doc, variables: Maybe): DeleteStatement {
  const collation = collationOf(spec);
  return {
    filter: spec.get("q") as Doc,
    sort: [],
    hint: spec.get("hint"),
    collation,
    one: toInteger(spec.get("limit")) === 1,
    evaluation: evaluationOf(context, collation, variables),
  };
}

export function* deleteMatching(context: CommandContext, name: string, statement: DeleteStatement): Coroutine<Doc[]> {
  const collection = findCollection(context, context.db, name);
  const matches = compileFilter(statement.filter, statement.evaluation);
  if (collection === undefined) return [];
  if (collection.options.has("viewOn"))
    throw new MongoFault("CommandNotSupportedOnView", `Namespace ${context.db}.${name} is a view, not a collection`);
  const gone: Doc[] = [];
  const removeOne = ({ rid, doc }: FoundRecord): void => {
    checkRecordWritable(context, collection, rid);
    remove(context, collection, rid);
    gone.push(doc);
  };
  if (statement.one) {
    yield* changeFirst(context, collection, statement, matches, (first) => {
      if (first !== undefined) removeOne(first);
    });
    return gone;
  }
  for (const item of yield* select(context, collection, statement, false)) {
    if (shouldYield()) yield;
    yield* retryAfterLock(context, () => {
      const current = currentVersion(context, collection, item, matches);
      if (current !== undefined) removeOne(current);
    });
  }
  return gone;
}
