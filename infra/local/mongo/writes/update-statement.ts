import { docList, flag, optionalDoc } from "../arguments/reading.ts";
import { ensureCollection, findCollection } from "../execution/collections.ts";
import type { CommandContext } from "../execution/context.ts";
import { collationOf, type Evaluation, evaluationOf } from "../execution/evaluation.ts";
import { retryAfterLock } from "../execution/retry-after-lock.ts";
import { shouldYield } from "../foundation/budget.ts";
import type { Coroutine } from "../foundation/coroutine.ts";
import { failedToParse, MongoFault } from "../foundation/fault.ts";
import { compileFilter } from "../match/filter.ts";
import { matched } from "../match/match-path.ts";
import type { Matcher } from "../match/matcher.ts";
import type { FoundRecord } from "../query/execute.ts";
import type { Collection } from "../storage/catalog.ts";
import { compileUpdate, type Update, upsertBase, withIdFirst } from "../update/update.ts";
import type { Collation } from "../values/collation.ts";
import { identical } from "../values/compare.ts";
import { Doc } from "../values/document.ts";
import { readSort, type SortField } from "../values/sort.ts";
import { type Maybe, UtcDate, type Value } from "../values/types.ts";
import { changeFirst, currentVersion, select } from "./matching.ts";
import { checkId, checkRecordWritable, insert, newObjectId, newTimestamp, replace } from "./records.ts";

export interface UpdateStatement {
  readonly filter: Doc;
  readonly update: Update;
  readonly multi: boolean;
  readonly upsert: boolean;
  readonly sort: readonly SortField[];
  readonly hint: Maybe;
  readonly collation: Collation | undefined;
  readonly evaluation: Evaluation;
  readonly bypass: boolean;
}

/** The names of an update's parts in a command. */
const inStatement = { update: "u", filter: "q" } as const;

export interface UpdateFields {
  readonly update: string;
  readonly filter: string;
}

export function readUpdate(
  context: CommandContext,
  spec: Doc,
  variables: Maybe,
  bypass: boolean,
  fields: UpdateFields = inStatement,
): UpdateStatement {
  const filter = optionalDoc(spec, fields.filter) ?? Doc.empty;
  const collation = collationOf(spec);
  const evaluation = evaluationOf(context, collation, variables);
  const ms = context.now;
  const arrayFilters = docList(spec, "arrayFilters");
  const update = compileUpdate(spec.get(fields.update), arrayFilters, evaluation, {
    date: new UtcDate(ms),
    timestamp: newTimestamp(ms),
  });
  const multi = flag(spec, "multi");
  if (multi && update.kind === "replacement")
    throw failedToParse("multi update is not supported for replacement-style update");
  const sort = readSort(optionalDoc(spec, "sort"));
  if (multi && sort.length > 0) throw failedToParse("Cannot specify sort with multi=true");
  return {
    filter,
    update,
    multi,
    upsert: flag(spec, "upsert"),
    sort,
    hint: spec.get("hint"),
    collation,
    evaluation,
    bypass,
  };
}

export interface UpdateResult {
  matched: number;
  modified: number;
  upserted: Value | undefined;
  before: Doc | undefined;
  after: Doc | undefined;
}

/** One run of an update statement. */
interface UpdateExecution {
  readonly context: CommandContext;
  readonly collection: Collection;
  readonly statement: UpdateStatement;
  readonly matches: Matcher;
}

/** Runs one update. After waiting for a transaction it reads the record again. */
export function* update(context: CommandContext, name: string, statement: UpdateStatement): Coroutine<UpdateResult> {
  const collection = statement.upsert
    ? yield* retryAfterLock(context, () => ensureCollection(context, context.db, name))
    : findCollection(context, context.db, name);
  const result: UpdateResult = { matched: 0, modified: 0, upserted: undefined, before: undefined, after: undefined };
  const matches = compileFilter(statement.filter, statement.evaluation);
  if (collection === undefined) return result;
  if (collection.options.has("viewOn"))
    throw new MongoFault("CommandNotSupportedOnView", `Namespace ${context.db}.${name} is a view, not a collection`);
  const execution: UpdateExecution = { context, collection, statement, matches };
  if (!statement.multi) {
    yield* changeFirst(context, collection, statement, matches, (first) => {
      if (first !== undefined) updateRecord(execution, first, result);
      else if (statement.upsert) upsert(execution, result);
    });
    return result;
  }
  const found = yield* select(context, collection, statement, false);
  for (const item of found) {
    if (shouldYield()) yield;
    yield* retryAfterLock(context, () => {
      const current = currentVersion(context, collection, item, matches);
      if (current !== undefined) updateRecord(execution, current, result);
    });
  }
  if (found.length === 0 && statement.upsert) yield* retryAfterLock(context, () => upsert(execution, result));
  return result;
}

function updateRecord(
  { context, collection, statement, matches }: UpdateExecution,
  { rid, doc }: FoundRecord,
  result: UpdateResult,
): void {
  checkRecordWritable(context, collection, rid);
  const old = doc.view();
  matched.index = undefined;
  matches(old);
  const next = statement.update.apply(old, { position: matched.index, inserting: false });
  const isSame = next === old || identical(old, next);
  const stored = isSame ? doc : replace(context, collection, { rid, old, next }, statement.bypass);
  result.matched++;
  if (!isSame) result.modified++;
  result.before = doc;
  result.after = stored;
}

function upsert({ context, collection, statement }: UpdateExecution, result: UpdateResult): void {
  const base = upsertBase(statement.filter);
  const start =
    statement.update.kind === "replacement"
      ? base.has("_id")
        ? Doc.of(["_id"], [base.get("_id") as Value])
        : Doc.empty
      : base;
  const applied = statement.update.apply(start, { position: undefined, inserting: true });
  const given = applied.get("_id");
  // null is a valid _id.
  const id = given === undefined ? newObjectId(context.engine.clock()) : given;
  checkId(id);
  const doc = withIdFirst(id, applied.without("_id"));
  insert(context, collection, doc, statement.bypass);
  result.upserted = id;
  result.after = doc;
}
