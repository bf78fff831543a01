import { flag, nameOf, nonNegative, optionalCount, optionalDoc } from "../arguments/reading.ts";
import { findCollection } from "../execution/collections.ts";
import type { Command } from "../execution/context.ts";
import { continueCursor, openCursor, type Source } from "../execution/cursors.ts";
import { collationOf, evaluationOf } from "../execution/evaluation.ts";
import { shouldYield } from "../foundation/budget.ts";
import { needYield } from "../foundation/coroutine.ts";
import { MongoFault, unsupported } from "../foundation/fault.ts";
import { compileFilter } from "../match/filter.ts";
import { findRecords, runQuery } from "../query/find.ts";
import { compileProjection } from "../query/projection.ts";
import { isView } from "../storage/views.ts";
import { Doc } from "../values/document.ts";
import { toInt64 } from "../values/numbers.ts";
import { readSort } from "../values/sort.ts";
import type { Value } from "../values/types.ts";
import { findInView, slice } from "./views.ts";

export const find: Command = function* (context) {
  const { command, db, engine } = context;
  engine.opcounters.query++;
  for (const option of ["max", "min", "returnKey", "showRecordId", "tailable", "awaitData"]) {
    const value = command.get(option);
    if (value !== undefined && value !== false && !(value instanceof Doc && value.size === 0))
      throw unsupported(`the find option ${option}`);
  }
  const name = nameOf(command);
  const filter = optionalDoc(command, "filter") ?? Doc.empty;
  const rawLimit = optionalCount(command, "limit") ?? 0;
  const batchSize = nonNegative(command, "batchSize");
  if (rawLimit < 0)
    throw new MongoFault("Location51024", `BSON field 'limit' value must be >= 0, actual value '${rawLimit}'`);
  const limit = rawLimit === 0 ? undefined : rawLimit;
  const collation = collationOf(command);
  const evaluation = evaluationOf(context, collation, command.get("let"));
  const sort = readSort(optionalDoc(command, "sort"));
  const skip = nonNegative(command, "skip") ?? 0;
  const projection = optionalDoc(command, "projection");
  const collection = findCollection(context, db, name);
  const namespace = `${db}.${name}`;
  if (collection !== undefined && isView(collection))
    return yield* findInView(context, collection, viewStages(filter, command, skip, limit), namespace);
  const query = { filter, sort, skip, limit, hint: command.get("hint"), collation };
  const project =
    projection === undefined || projection.size === 0
      ? undefined
      : compileProjection(projection, evaluation, compileFilter(filter, evaluation));
  const found =
    collection === undefined
      ? yield* findRecords(context, db, name, query, evaluation)
      : (yield* runQuery(context, collection, query, evaluation)).found;
  let at = 0;
  const next: Source = () => {
    if (shouldYield()) return needYield;
    const item = found[at++];
    if (item === undefined) return undefined;
    return project === undefined ? item.doc : project(item.doc.view());
  };
  return yield* openCursor(engine.cursors, next, {
    namespace,
    batchSize,
    single: flag(command, "singleBatch"),
    session: undefined,
    time: engine.clock(),
    collection,
  });
};

function viewStages(filter: Doc, command: Doc, skip: number, limit: number | undefined): Doc[] {
  const stages = [Doc.from({ $match: filter })];
  const sort = command.get("sort");
  const projection = command.get("projection");
  if (sort instanceof Doc && sort.size > 0) stages.push(Doc.from({ $sort: sort }));
  stages.push(...slice(skip, limit));
  if (projection instanceof Doc && projection.size > 0) stages.push(Doc.from({ $project: projection }));
  return stages;
}

export const getMore: Command = ({ command, db, engine }) => {
  engine.opcounters.getmore++;
  const id = toInt64(command.values[0]);
  const name = command.get("collection");
  if (id === undefined || typeof name !== "string")
    throw new MongoFault("TypeMismatch", "getMore needs a cursor id and a collection");
  return continueCursor(engine.cursors, id, `${db}.${name}`, nonNegative(command, "batchSize"), engine.clock());
};

export const killCursors: Command = ({ command, engine }) => {
  const ids = command.get("cursors");
  const killed: Value[] = [];
  const missing: Value[] = [];
  for (const item of Array.isArray(ids) ? ids : [])
    (engine.cursors.open.delete(toInt64(item) ?? 0n) ? killed : missing).push(item);
  return Doc.from({ cursorsKilled: killed, cursorsNotFound: missing, cursorsAlive: [], cursorsUnknown: [] });
};
