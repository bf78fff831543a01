import { valueSet } from "../expressions/sets.ts";
import { badValue, failedToParse, typeMismatch } from "../foundation/fault.ts";
import { topLevelOperators } from "../match/conditions.ts";
import { compileFilter } from "../match/filter.ts";
import type { FilterContext } from "../match/matcher.ts";
import { isOperatorObject } from "../match/value-operators.ts";
import { equalTest } from "../match/value-tests.ts";
import { compare, equals } from "../values/compare.ts";
import { Doc } from "../values/document.ts";
import { isNumeric, toInteger } from "../values/numbers.ts";
import { compareSortKeys, elementKey, readSort } from "../values/sort.ts";
import { typeName } from "../values/type-names.ts";
import { type Maybe, Regex, type Value } from "../values/types.ts";
import { type Change, describe, type Place } from "./path.ts";

function arrayOf(old: Maybe, place: Place): Value[] {
  if (old === undefined) return [];
  if (Array.isArray(old)) return old;
  const field = place.path.split(".").at(-1);
  throw badValue(
    `The field '${field}' must be an array but is of type ${typeName(old)} in document {_id: ${describe(place.id)}}`,
  );
}

function each(
  operator: string,
  operand: Value,
  allowed: readonly string[],
): { items: readonly Value[]; modifiers: Doc } {
  if (!(operand instanceof Doc) || !operand.has("$each")) return { items: [operand], modifiers: Doc.empty };
  const items = operand.get("$each");
  if (!Array.isArray(items))
    throw typeMismatch(`The argument to $each in ${operator} must be an array but it was of type: ${typeName(items)}`);
  for (const name of operand.keys)
    if (!allowed.includes(name)) throw badValue(`Unrecognized clause in ${operator}: ${name}`);
  return { items, modifiers: operand };
}

function integerModifier(modifiers: Doc, name: string): number | undefined {
  const value = modifiers.get(name);
  if (value === undefined) return undefined;
  const number = isNumeric(value) ? toInteger(value) : undefined;
  if (number === undefined)
    throw badValue(`The value for ${name} must be an integer value but was given type: ${typeName(value)}`);
  return number;
}

function pushChange(operand: Value, context: FilterContext): Change {
  const { items, modifiers } = each("$push", operand, ["$each", "$slice", "$sort", "$position"]);
  const slice = integerModifier(modifiers, "$slice");
  const position = integerModifier(modifiers, "$position");
  const arrange = sortModifier(modifiers.get("$sort"), context);
  return (old, place) => {
    const array = arrayOf(old, place);
    const at =
      position === undefined
        ? array.length
        : position < 0
          ? Math.max(0, array.length + position)
          : Math.min(position, array.length);
    const next = arrange([...array.slice(0, at), ...items, ...array.slice(at)]);
    if (slice === undefined) return next;
    return slice >= 0 ? next.slice(0, slice) : next.slice(slice);
  };
}

function sortModifier(spec: Maybe, context: FilterContext): (items: Value[]) => Value[] {
  if (spec === undefined) return (items) => items;
  const { order } = context.scope.context;
  if (!(spec instanceof Doc)) {
    const direction = toInteger(spec);
    if (direction !== 1 && direction !== -1) throw badValue("The $sort element value must be either 1 or -1");
    return (items) => items.sort((a, b) => compare(a, b, order) * direction);
  }
  if (spec.size === 0) throw badValue("The $sort pattern is empty when it should be a set of fields.");
  for (const value of spec.values)
    if (toInteger(value) !== 1 && toInteger(value) !== -1)
      throw badValue("The $sort element value must be either 1 or -1");
  const fields = readSort(spec, "$sort");
  const byKey = compareSortKeys(fields, order);
  return (items) =>
    items
      .map((item) => ({ item, key: elementKey(item, fields) }))
      .sort((a, b) => byKey(a.key, b.key))
      .map(({ item }) => item);
}

function addToSet(operand: Value, context: FilterContext): Change {
  const { items } = each("$addToSet", operand, ["$each"]);
  const { order } = context.scope.context;
  return (old, place) => {
    const array = arrayOf(old, place);
    const known = valueSet(order, array);
    const added = items.filter((item) => known.add(item));
    return added.length === 0 && old !== undefined ? array : [...array, ...added];
  };
}

function popChange(operand: Value): Change {
  const end = toInteger(operand);
  if (end !== 1 && end !== -1) throw failedToParse(`$pop expects 1 or -1, found: ${describe(operand)}`);
  return (old, place) => {
    if (old === undefined) return undefined;
    if (!Array.isArray(old))
      throw typeMismatch(`Path '${place.path}' contains an element of non-array type '${typeName(old)}'`);
    if (old.length === 0) return old;
    return end === 1 ? old.slice(0, -1) : old.slice(1);
  };
}

function without(old: Maybe, operator: string, isGone: (item: Value) => boolean): Maybe {
  if (old === undefined) return undefined;
  if (!Array.isArray(old)) throw badValue(`Cannot apply ${operator} to a non-array value`);
  const rest = old.filter((item) => !isGone(item));
  return rest.length === old.length ? old : rest;
}

function pullChange(operand: Value, context: FilterContext): Change {
  const isGone = pullTest(operand, context);
  return (old) => without(old, "$pull", isGone);
}

/** Operators on whole documents ($or, $expr, …) do not test values. */
const testsValues = (operand: Value): boolean =>
  isOperatorObject(operand) && !topLevelOperators.has(operand.keys[0] as string);

/** A document is a filter on elements that are documents, unless it has operators on values. */
function pullTest(operand: Value, context: FilterContext): (item: Value) => boolean {
  if (operand instanceof Regex || testsValues(operand)) {
    // The element is tested as a field of a document, so that arrays among the elements are entered.
    const matches = compileFilter(Doc.of(["value"], [operand]), context);
    return (item) => matches(Doc.of(["value"], [item]));
  }
  if (operand instanceof Doc) {
    const matches = compileFilter(operand, context);
    return (item) => item instanceof Doc && matches(item);
  }
  const { order } = context.scope.context;
  return operand === null ? (item) => item === null : equalTest(operand, order);
}

function pullAll(operand: Value, context: FilterContext): Change {
  if (!Array.isArray(operand))
    throw badValue(`$pullAll requires an array argument but was given a ${typeName(operand)}`);
  const { order } = context.scope.context;
  return (old) => without(old, "$pullAll", (item) => operand.some((gone) => equals(item, gone, order)));
}

export function arrayChange(operator: string, operand: Value, context: FilterContext): Change | undefined {
  switch (operator) {
    case "$push":
      return pushChange(operand, context);
    case "$addToSet":
      return addToSet(operand, context);
    case "$pop":
      return popChange(operand);
    case "$pull":
      return pullChange(operand, context);
    case "$pullAll":
      return pullAll(operand, context);
    default:
      return undefined;
  }
}
