import { compile, fieldPath } from "../expressions/compile.ts";
import { valueSet } from "../expressions/sets.ts";
import { shouldYield } from "../foundation/budget.ts";
import type { Coroutine } from "../foundation/coroutine.ts";
import { failedToParse, MongoFault } from "../foundation/fault.ts";
import { compileFilter } from "../match/filter.ts";
import type { Matcher } from "../match/matcher.ts";
import type { StringOrder } from "../values/compare.ts";
import { Doc } from "../values/document.ts";
import { encodeKey } from "../values/key.ts";
import { toInteger } from "../values/numbers.ts";
import { joinValues, setPlain } from "../values/paths.ts";
import type { Maybe, Value } from "../values/types.ts";
import { mapDocuments } from "./flow.ts";
import { type Join, joinOn } from "./join.ts";
import type { StageCompiler } from "./stage.ts";

export const graphLookup: StageCompiler = (spec, { context, db, evaluation, collation }) => {
  if (!(spec instanceof Doc)) throw failedToParse("the $graphLookup stage specification must be an object");
  const text = (name: string, required = true): string => {
    const value = spec.get(name);
    if (value === undefined && !required) return "";
    if (typeof value !== "string")
      throw new MongoFault(
        value === undefined ? "Location40105" : "Location40103",
        `$graphLookup requires '${name}' to be a string`,
      );
    return value;
  };
  const start = spec.get("startWith");
  if (start === undefined) throw new MongoFault("Location40105", "$graphLookup requires 'startWith'");
  const startWith = compile(start, evaluation.scope);
  const connectFrom = fieldPath(text("connectFromField"));
  const depthField = text("depthField", false);
  const maxDepth = spec.has("maxDepth") ? toInteger(spec.get("maxDepth")) : Number.POSITIVE_INFINITY;
  if (maxDepth === undefined || maxDepth < 0)
    throw new MongoFault("Location40101", "maxDepth requires a nonnegative argument");
  const restriction = spec.get("restrictSearchWithMatch");
  if (restriction !== undefined && !(restriction instanceof Doc))
    throw new MongoFault("Location40185", "restrictSearchWithMatch must be an object");
  const matches = compileFilter(restriction ?? Doc.empty, evaluation);
  const join = joinOn({ context, db, collation, name: text("from"), path: text("connectToField") });
  const target = fieldPath(text("as"));
  const depthParts = depthField === "" ? undefined : fieldPath(depthField);
  const { frame } = evaluation;
  const walk: Walk = { join, matches, connectFrom, depthParts, maxDepth, order: collation?.order };
  return mapDocuments(function* (doc) {
    frame[0] = doc;
    return setPlain(doc, target, yield* reachable(walk, startValues(startWith(frame))));
  });
};

const startValues = (value: Maybe): Value[] => (value === undefined ? [] : Array.isArray(value) ? value : [value]);

interface Walk {
  readonly join: Join;
  readonly matches: Matcher;
  readonly connectFrom: readonly string[];
  readonly depthParts: readonly string[] | undefined;
  readonly maxDepth: number;
  readonly order: StringOrder | undefined;
}

/** The documents that are reachable from some values, nearest first. */
function* reachable(walk: Walk, start: readonly Value[]): Coroutine<Doc[]> {
  const { join, matches, connectFrom, depthParts, maxDepth } = walk;
  const found = new Map<string, Doc>();
  const asked = valueSet(walk.order);
  let frontier = start.filter((value) => asked.add(value));
  for (let depth = 0; frontier.length > 0 && depth <= maxDepth; depth++) {
    const next: Value[] = [];
    const joining = join(frontier);
    for (const match of Array.isArray(joining) ? joining : yield* joining) {
      if (shouldYield()) yield;
      const key = encodeKey(match.get("_id"));
      if (found.has(key) || !matches(match)) continue;
      found.set(key, depthParts === undefined ? match : setPlain(match.view(), depthParts, BigInt(depth)));
      for (const value of joinValues(match, connectFrom, [])) if (asked.add(value)) next.push(value);
    }
    frontier = next;
  }
  return [...found.values()];
}
