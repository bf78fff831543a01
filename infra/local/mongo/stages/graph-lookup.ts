import { compile, fieldPath } from "../expressions/compile.ts";
import { valueSet } from "../expressions/sets.ts";
import { failedToParse, MongoFault } from "../fault.ts";
import { compileFilter } from "../match/filter.ts";
import { Doc } from "../values/document.ts";
import { encodeKey } from "../values/key.ts";
import { toInteger } from "../values/numbers.ts";
import { joinValues } from "../values/paths.ts";
import type { Maybe, Value } from "../values/types.ts";
import { setPlain } from "./document-paths.ts";
import { joinOn } from "./join.ts";
import type { StageCompiler } from "./stage.ts";

export const graphLookup: StageCompiler = (spec, { operating, db, evaluation, collation }) => {
  if (!(spec instanceof Doc)) throw failedToParse("the $graphLookup stage specification must be an object");
  const text = (name: string, required = true): string => {
    const value = spec.get(name);
    if (value === undefined && !required) return "";
    if (typeof value !== "string")
      throw new MongoFault(value === undefined ? 40105 : 40103, `$graphLookup requires '${name}' to be a string`);
    return value;
  };
  const start = spec.get("startWith");
  if (start === undefined) throw new MongoFault(40105, "$graphLookup requires 'startWith'");
  const startWith = compile(start, evaluation.scope);
  const connectFrom = fieldPath(text("connectFromField"));
  const depthField = text("depthField", false);
  const maxDepth = spec.has("maxDepth") ? toInteger(spec.get("maxDepth")) : Number.POSITIVE_INFINITY;
  if (maxDepth === undefined || maxDepth < 0) throw new MongoFault(40101, "maxDepth requires a nonnegative argument");
  const restriction = spec.get("restrictSearchWithMatch");
  if (restriction !== undefined && !(restriction instanceof Doc))
    throw new MongoFault(40185, "restrictSearchWithMatch must be an object");
  const matches = compileFilter(restriction ?? Doc.empty, evaluation);
  const join = joinOn({ operating, db, collation, name: text("from"), path: text("connectToField") });
  const target = fieldPath(text("as"));
  const depthParts = depthField === "" ? undefined : fieldPath(depthField);
  const { frame } = evaluation;
  const search = (start: readonly Value[]): Doc[] => {
    const found = new Map<string, Doc>();
    const asked = valueSet(collation?.order);
    let frontier = start.filter((value) => asked.add(value));
    for (let depth = 0; frontier.length > 0 && depth <= maxDepth; depth++) {
      const fresh = join(frontier).filter((match) => !found.has(encodeKey(match.get("_id"))) && matches(match));
      for (const match of fresh) {
        const shown = depthParts === undefined ? match : setPlain(match.view(), depthParts, BigInt(depth));
        found.set(encodeKey(match.get("_id")), shown);
      }
      frontier = fresh.flatMap((match) => joinValues(match, connectFrom, [])).filter((value) => asked.add(value));
    }
    return [...found.values()];
  };
  return (input) => () => {
    const doc = input();
    if (doc === undefined) return undefined;
    frame[0] = doc;
    return setPlain(doc, target, search(startValues(startWith(frame))));
  };
};

const startValues = (value: Maybe): Value[] => (value === undefined ? [] : Array.isArray(value) ? value : [value]);
