import { findCollection } from "../execution/collections.ts";
import type { Operating } from "../execution/context.ts";
import { collationOf, evaluationOf } from "../execution/evaluation.ts";
import { patiently } from "../execution/lock-wait.ts";
import { MongoFault } from "../foundation/fault.ts";
import { mustPause } from "../foundation/pace.ts";
import type { Routine } from "../foundation/routine.ts";
import { compileFilter } from "../match/filter.ts";
import type { Found } from "../query/execute.ts";
import type { Doc } from "../values/document.ts";
import { toInteger } from "../values/numbers.ts";
import type { Maybe } from "../values/types.ts";
import { changeFirst, select, stillThere } from "./matching.ts";
import type { UpdateStatement } from "./update-statement.ts";
import { claim, remove } from "./writes.ts";

export interface DeleteStatement
  extends Pick<UpdateStatement, "filter" | "sort" | "hint" | "collation" | "evaluation"> {
  readonly one: boolean;
}

export function readDelete(operating: Operating, spec: Doc, variables: Maybe): DeleteStatement {
  const collation = collationOf(spec);
  return {
    filter: spec.get("q") as Doc,
    sort: [],
    hint: spec.get("hint"),
    collation,
    one: toInteger(spec.get("limit")) === 1,
    evaluation: evaluationOf(operating, collation, variables),
  };
}

export function* deleteMatching(operating: Operating, name: string, statement: DeleteStatement): Routine<Doc[]> {
  const collection = findCollection(operating, operating.db, name);
  const matches = compileFilter(statement.filter, statement.evaluation);
  if (collection === undefined) return [];
  if (collection.options.has("viewOn"))
    throw new MongoFault("CommandNotSupportedOnView", `Namespace ${operating.db}.${name} is a view, not a collection`);
  const gone: Doc[] = [];
  const removeOne = ({ rid, doc }: Found): void => {
    claim(operating, collection, rid);
    remove(operating, collection, rid);
    gone.push(doc);
  };
  if (statement.one) {
    yield* changeFirst(operating, collection, statement, matches, (first) => {
      if (first !== undefined) removeOne(first);
    });
    return gone;
  }
  for (const item of yield* select(operating, collection, statement, false)) {
    if (mustPause()) yield;
    yield* patiently(operating, () => {
      const current = stillThere(operating, collection, item, matches);
      if (current !== undefined) removeOne(current);
    });
  }
  return gone;
}
