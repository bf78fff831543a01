import type { Evaluation } from "../execution/evaluation.ts";
import type { Expr } from "../expressions/compile.ts";
import { badValue, MongoFault } from "../foundation/fault.ts";
import { elemMatchTest } from "../match/filter.ts";
import { matched } from "../match/match-path.ts";
import type { Matcher } from "../match/matcher.ts";
import { applyProjection, readProjection } from "../transform/project.ts";
import { Doc } from "../values/document.ts";
import { toInteger } from "../values/numbers.ts";
import { splitPath } from "../values/paths.ts";
import type { Maybe, Value } from "../values/types.ts";

export type Project = (doc: Doc) => Doc;

type ArrayStep = (items: readonly Value[], doc: Doc) => Value[] | undefined;

/** The projection of find, with three array operators that $project does not have. */
export function compileProjection(spec: Doc, evaluation: Evaluation, matches: Matcher): Project {
  const steps: { parts: readonly string[]; step: ArrayStep; only: boolean }[] = [];
  const projection = readProjection(spec, evaluation.scope, (path, value) => {
    if (path.endsWith(".$")) {
      if (steps.some(({ only }) => only))
        throw new MongoFault("Location31276", "Cannot specify more than one positional projection per query.");
      steps.push({ parts: splitPath(path.slice(0, -2)), step: positional(matches, path), only: true });
      return "include";
    }
    if (!(value instanceof Doc)) return undefined;
    if (value.keys[0] === "$slice" && !isSliceExpression(value.values[0])) {
      steps.push({ parts: splitPath(path), step: slice(value.values[0]), only: false });
      return "keep";
    }
    if (value.keys[0] === "$elemMatch") {
      if (path.includes("."))
        throw new MongoFault("Location31275", "Cannot use $elemMatch projection on a nested field.");
      return firstMatch(path, value.values[0] as Value, evaluation);
    }
    return undefined;
  });
  const { frame } = evaluation;
  return (doc) => {
    let result = applyProjection(doc, projection, frame);
    for (const { parts, step } of steps) result = applyStep(result, parts, 0, (items) => step(items, doc)) as Doc;
    return result;
  };
}

/** {$slice: ["$list", 2]} is an expression; {$slice: [1, 2]} is skip and limit. */
const isSliceExpression = (value: Maybe): boolean => Array.isArray(value) && toInteger(value[0]) === undefined;

function applyStep(
  value: Value,
  parts: readonly string[],
  at: number,
  step: (items: readonly Value[]) => Value[] | undefined,
): Value {
  if (Array.isArray(value) && at < parts.length) return value.map((item) => applyStep(item, parts, at, step));
  if (!(value instanceof Doc)) return value;
  const part = parts[at] as string;
  const child = value.get(part);
  if (child === undefined) return value;
  if (at < parts.length - 1) return value.with(part, applyStep(child, parts, at + 1, step));
  if (!Array.isArray(child)) return value;
  const next = step(child);
  return next === undefined ? value.without(part) : value.with(part, next);
}

function slice(operand: Maybe): ArrayStep {
  const list = Array.isArray(operand) ? operand : [operand];
  const numbers = list.map((item) => toInteger(item));
  const [first, second] = numbers;
  if (first === undefined || (list.length === 2 && second === undefined) || list.length > 2)
    throw new MongoFault("Location28667", "Invalid $slice syntax. The given syntax did not match the find() syntax");
  if (list.length === 1) return (items) => (first >= 0 ? items.slice(0, first) : items.slice(first));
  if ((second as number) <= 0) throw new MongoFault("Location28724", "First argument to $slice must be positive");
  return (items) => {
    const start = first >= 0 ? Math.min(first, items.length) : Math.max(0, items.length + first);
    return items.slice(start, start + (second as number));
  };
}

/** An expression, so the field comes last. Values other than arrays are left out. */
function firstMatch(path: string, operand: Value, evaluation: Evaluation): Expr {
  const test = elemMatchTest(operand, evaluation);
  return ([doc]) => {
    const items = doc instanceof Doc ? doc.get(path) : undefined;
    const found = Array.isArray(items) ? items.find((item) => test([item])) : undefined;
    return found === undefined ? undefined : [found];
  };
}

function positional(matches: Matcher, path: string): ArrayStep {
  return (items, doc) => {
    matched.index = undefined;
    matches(doc);
    if (matched.index === undefined)
      throw new MongoFault(
        "Location51246",
        "Executor error during find command :: caused by :: positional operator '.$' couldn't find a matching element in the array",
      );
    const item = items[matched.index];
    if (item === undefined) throw badValue(`positional projection '${path}' found no element`);
    return [item];
  };
}
