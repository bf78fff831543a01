import { nameOf, nonNegative, optionalCount, optionalDoc } from "../arguments/reading.ts";
import { findCollection } from "../execution/collections.ts";
import type { Command, CommandContext } from "../execution/context.ts";
import { collationOf, evaluationOf } from "../execution/evaluation.ts";
import { valueSet } from "../expressions/sets.ts";
import { countMemory, shouldYield } from "../foundation/budget.ts";
import { type Coroutine, sortYielding } from "../foundation/coroutine.ts";
import { MongoFault } from "../foundation/fault.ts";
import { findRecords } from "../query/find.ts";
import { drain } from "../stages/flow.ts";
import { isView } from "../storage/views.ts";
import { compare } from "../values/compare.ts";
import { Doc } from "../values/document.ts";
import { estimateSize } from "../values/estimated-size.ts";
import { arrayIndex, splitPath } from "../values/paths.ts";
import type { Maybe, Value } from "../values/types.ts";
import { openView, slice } from "./views.ts";

export const count: Command = function* (context) {
  const { command } = context;
  const filter = optionalDoc(command, "query") ?? Doc.empty;
  const limit = Math.abs(optionalCount(command, "limit") ?? 0) || undefined;
  const skip = nonNegative(command, "skip") ?? 0;
  const collection = findCollection(context, context.db, nameOf(command));
  const isPlain = filter.size === 0 && !command.has("hint") && context.transaction === undefined;
  if (collection !== undefined && isPlain && !isView(collection))
    return Doc.from({ n: Math.min(Math.max(0, collection.records.size - skip), limit ?? Number.POSITIVE_INFINITY) });
  return Doc.from({ n: (yield* select(context, filter, skip, limit)).length });
};

export const distinct: Command = function* (context) {
  const { command } = context;
  const key = command.get("key");
  if (typeof key !== "string")
    throw new MongoFault("TypeMismatch", "BSON field 'distinct.key' is the wrong type, expected type 'string'");
  const order = collationOf(command)?.order;
  const values = valueSet(order);
  const parts = splitPath(key);
  const add = (value: Value): boolean => {
    const isNew = values.add(value);
    if (isNew) countMemory(64 + 2 * estimateSize(value));
    return isNew;
  };
  for (const doc of yield* select(context, optionalDoc(command, "query") ?? Doc.empty, 0, undefined)) {
    if (shouldYield()) yield;
    distinctValues(doc, parts, 0, add);
  }
  return Doc.from({ values: yield* sortYielding(values.values, (a, b) => compare(a, b, order)) });
};

/** The documents of a collection or a view that match a filter. */
function* select(
  context: CommandContext,
  filter: Doc,
  skip: number,
  limit: number | undefined,
): Coroutine<readonly Doc[]> {
  const { command, db } = context;
  const name = nameOf(command);
  const collection = findCollection(context, db, name);
  if (collection !== undefined && isView(collection))
    return yield* drain(yield* openView(context, collection, [Doc.from({ $match: filter }), ...slice(skip, limit)]));
  const collation = collationOf(command);
  const evaluation = evaluationOf(context, collation, undefined);
  const query = { filter, skip, limit, hint: command.get("hint"), collation };
  return (yield* findRecords(context, db, name, query, evaluation)).map(({ doc }) => doc);
}

function distinctValues(value: Maybe, parts: readonly string[], at: number, add: (value: Value) => boolean): void {
  if (value === undefined) return;
  if (at === parts.length) {
    if (Array.isArray(value)) for (const item of value) add(item);
    else add(value);
    return;
  }
  const part = parts[at] as string;
  if (value instanceof Doc) distinctValues(value.get(part), parts, at + 1, add);
  else if (Array.isArray(value)) {
    const position = arrayIndex(part);
    if (position >= 0) distinctValues(value[position], parts, at + 1, add);
    for (const item of value) if (item instanceof Doc) distinctValues(item, parts, at, add);
  }
}
