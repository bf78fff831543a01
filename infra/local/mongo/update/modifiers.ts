import { badValue, failedToParse, MongoFault } from "../foundation/fault.ts";
import { isSupported } from "../foundation/operators.ts";
import { refuseOperator } from "../match/filter.ts";
import type { FilterContext } from "../match/matcher.ts";
import { Doc } from "../values/document.ts";
import { arrayIndex, readPlain, splitPath } from "../values/paths.ts";
import type { Maybe, Value } from "../values/types.ts";
import { compileArrayFilters } from "./array-filters.ts";
import { arrayChange } from "./arrays.ts";
import { fieldChange, type Now } from "./fields.ts";
import { type Change, changeAt, type Target } from "./path.ts";

export interface ApplyOptions {
  /** The array element of the positional operator `$`. */
  readonly position: number | undefined;
  readonly inserting: boolean;
}

export type Modify = (doc: Doc, options: ApplyOptions) => Doc;

interface Step {
  readonly path: string;
  readonly parts: readonly string[];
  readonly onlyOnInsert: boolean;
  readonly creates: boolean;
  readonly change: Change | { readonly renameFrom: string };
}

const neverCreates = new Set(["$unset", "$pop", "$pull", "$pullAll"]);

export function compileModifiers(update: Doc, arrayFilters: readonly Doc[], context: FilterContext, now: Now): Modify {
  const steps: Step[] = [];
  update.keys.forEach((operator, i) => {
    if (!operator.startsWith("$"))
      throw failedToParse(
        `Unknown modifier: ${operator}. Expected a valid update modifier or pipeline-style update specified as an array`,
      );
    if (!isSupported("update", operator))
      throw refuseOperator(
        operator,
        failedToParse(
          `Unknown modifier: ${operator}. Expected a valid update modifier or pipeline-style update specified as an array`,
        ),
      );
    const fields = update.values[i];
    if (!(fields instanceof Doc))
      throw failedToParse(
        `Modifiers operate on fields but we found type ${typeof fields} instead. For example: {$mod: {<field>: ...}} not {${operator}: ${String(fields)}}`,
      );
    fields.keys.forEach(
      (path, k) => void steps.push(...compileStep(operator, path, fields.values[k] as Value, context, now)),
    );
  });
  checkConflicts(steps);
  // Fields are created in the order of their names, as in MongoDB.
  steps.sort((a, b) => comparePaths(a.parts, b.parts));
  const filters = compileArrayFilters(arrayFilters, steps, context);
  return (doc, { position, inserting }) => {
    const original = doc;
    let result = doc;
    for (const step of steps) {
      if (step.onlyOnInsert && !inserting) continue;
      const target: Target = { path: step.path, parts: step.parts, creates: step.creates, filters, position };
      if (typeof step.change === "function") result = changeAt(result, target, step.change);
      else result = rename(result, original, step.change.renameFrom, target);
    }
    return result;
  };
}

function compileStep(operator: string, path: string, operand: Value, context: FilterContext, now: Now): Step[] {
  const parts = checkPath(path);
  if (operator === "$rename") return renameSteps(path, parts, operand);
  const change =
    fieldChange(operator, operand, path, now, context.scope.context.order) ?? arrayChange(operator, operand, context);
  if (change === undefined) throw failedToParse(`Unknown modifier: ${operator}`);
  return [{ path, parts, onlyOnInsert: operator === "$setOnInsert", creates: !neverCreates.has(operator), change }];
}

function checkPath(path: string): readonly string[] {
  if (path === "") throw new MongoFault("EmptyFieldName", "An empty update path is not valid.");
  const parts = splitPath(path);
  parts.forEach((part, i) => {
    if (part === "")
      throw new MongoFault(
        "EmptyFieldName",
        `The update path '${path}' contains an empty field name, which is not allowed.`,
      );
    if (part === "$" || /^\$\[[a-z0-9]*\w*\]$/.test(part)) {
      if (i === 0) throw badValue(`Cannot have positional (i.e. '$') element in the first position in path '${path}'`);
      if (part === "$" && parts.indexOf("$") !== i)
        throw badValue(`Too many positional (i.e. '$') elements found in path '${path}'`);
    } else if (part.startsWith("$") && !["$ref", "$id", "$db"].includes(part)) {
      throw new MongoFault(
        "DollarPrefixedFieldName",
        `The dollar ($) prefixed field '${part}' in '${path}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
      );
    }
  });
  return parts;
}

function renameSteps(from: string, parts: readonly string[], operand: Value): Step[] {
  if (typeof operand !== "string")
    throw badValue(`The 'to' field for $rename must be a string: ${from}: ${String(operand)}`);
  const to = checkPath(operand);
  if (from === operand) throw badValue(`The source and target field for $rename must differ: ${from}: "${operand}"`);
  for (const [path, list] of [
    [from, parts],
    [operand, to],
  ] as const) {
    if (list.some((part) => part === "$" || part.startsWith("$[")))
      throw badValue(`The source and destination field for $rename may not be dynamic: ${path}`);
  }
  return [
    { path: from, parts, onlyOnInsert: false, creates: false, change: () => undefined },
    { path: operand, parts: to, onlyOnInsert: false, creates: true, change: { renameFrom: from } },
  ];
}

function rename(doc: Doc, original: Doc, from: string, target: Target): Doc {
  const parts = splitPath(from);
  crossesArray(original, parts, "source");
  const value = readPlain(original, parts);
  if (value === undefined) return doc;
  crossesArray(original, target.parts, "destination");
  return changeAt(doc, target, () => value);
}

function crossesArray(doc: Doc, parts: readonly string[], what: string): void {
  let value: Maybe = doc;
  for (const part of parts) {
    if (Array.isArray(value))
      throw badValue(`The ${what} field cannot be an array element, '${parts.join(".")}' in doc has an array field`);
    value = value instanceof Doc ? value.get(part) : undefined;
  }
}

function checkConflicts(steps: readonly Step[]): void {
  if (steps.length < 2) return;
  const paths = steps.map(({ path }) => path).sort((a, b) => (`${a}.` < `${b}.` ? -1 : 1));
  for (let i = 1; i < paths.length; i++) {
    const shorter = paths[i - 1] as string;
    const longer = paths[i] as string;
    if (`${longer}.`.startsWith(`${shorter}.`))
      throw new MongoFault(
        "ConflictingUpdateOperators",
        `Updating the path '${longer}' would create a conflict at '${shorter}'`,
      );
  }
}

function comparePaths(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const x = a[i] as string;
    const y = b[i] as string;
    if (x === y) continue;
    const [m, n] = [arrayIndex(x), arrayIndex(y)];
    if (m >= 0 && n >= 0) return m - n;
    return x < y ? -1 : 1;
  }
  return a.length - b.length;
}
