import { badValue, failedToParse, typeMismatch } from "../foundation/fault.ts";
import { compare, type StringOrder } from "../values/compare.ts";
import { Decimal } from "../values/decimal.ts";
import { Doc } from "../values/document.ts";
import { isDouble, isNumeric, type Numeric, strictArithmetic } from "../values/numbers.ts";
import { typeName } from "../values/type-names.ts";
import { Double, isInt32, type Timestamp, type UtcDate, type Value } from "../values/types.ts";
import { type Change, describe, type Place } from "./path.ts";

function arithmeticChange(operator: "$inc" | "$mul", operand: Value, path: string): Change {
  if (!isNumeric(operand))
    throw typeMismatch(
      `Cannot ${operator === "$inc" ? "increment" : "multiply"} with non-numeric argument: {${path}: ${describe(operand)}}`,
    );
  const operation = operator === "$inc" ? "add" : "multiply";
  return (old, place) => {
    if (old === undefined) return operator === "$inc" ? operand : zeroLike(operand);
    if (!isNumeric(old)) throw wrongType(operator, old, place);
    const result = strictArithmetic(operation, old, operand);
    if (result === undefined)
      throw badValue(
        `Failed to apply ${operator} operations to current value ((NumberLong)${old}) for document {_id: ${describe(place.id)}}`,
      );
    return result;
  };
}

function zeroLike(operand: Numeric): Value {
  if (typeof operand === "bigint") return 0n;
  if (operand instanceof Decimal) return Decimal.zero;
  return isDouble(operand) ? new Double(0) : 0;
}

function wrongType(operator: string, value: Value, place: Place): Error {
  const field = place.path.split(".").at(-1);
  return typeMismatch(
    `Cannot apply ${operator} to a value of non-numeric type. {_id: ${describe(place.id)}} has the field '${field}' of non-numeric type ${typeName(value)}`,
  );
}

function bitChange(operand: Value): Change {
  if (!(operand instanceof Doc))
    throw badValue(
      `The $bit modifier is not compatible with a ${typeName(operand)}. You must pass in an embedded document: {$bit: {field: {and/or/xor: #}}`,
    );
  if (operand.size === 0)
    throw badValue("You must pass in at least one bitwise operation. The format is: {$bit: {field: {and/or/xor: #}}");
  const steps = operand.keys.map((name, i) => {
    const value = operand.values[i];
    if (name !== "and" && name !== "or" && name !== "xor")
      throw badValue(
        `The $bit modifier only supports 'and', 'or', and 'xor', not '${name}' which is an unknown operator: {${name}: ${describe(value)}}`,
      );
    if (typeof value !== "bigint" && !(typeof value === "number" && isInt32(value)))
      throw badValue(
        `The $bit modifier field must be an Integer(32/64 bit); a '${typeName(value)}' is not supported here: {${name}: ${describe(value)}}`,
      );
    return { name, value };
  });
  return (old) => {
    let current = old ?? 0;
    for (const { name, value } of steps) {
      if (typeof current !== "bigint" && !(typeof current === "number" && isInt32(current))) {
        throw badValue(
          `Cannot apply $bit to a value of non-integral type. The field has the value of type ${typeName(current)}`,
        );
      }
      const a = BigInt(current);
      const b = BigInt(value);
      const result = name === "and" ? a & b : name === "or" ? a | b : a ^ b;
      current =
        typeof current === "bigint" || typeof value === "bigint"
          ? BigInt.asIntN(64, result)
          : Number(BigInt.asIntN(32, result));
    }
    return current;
  };
}

export interface Now {
  readonly date: UtcDate;
  readonly timestamp: Timestamp;
}

function currentDate(operand: Value, now: Now): Change {
  if (typeof operand === "boolean") return () => now.date;
  if (!(operand instanceof Doc))
    throw badValue(
      `${typeName(operand)} is not valid type for $currentDate. Please use a boolean ('true') or a $type expression ({$type: 'timestamp/date'}).`,
    );
  const type = operand.get("$type");
  if (operand.size !== 1 || (type !== "date" && type !== "timestamp"))
    throw badValue(
      "The '$type' string field is required to be 'date' or 'timestamp': {$currentDate: {field : {$type: 'date'}}}",
    );
  return type === "date" ? () => now.date : () => now.timestamp;
}

/** Operators that change one value. */
export function fieldChange(
  operator: string,
  operand: Value,
  path: string,
  now: Now,
  order: StringOrder | undefined,
): Change | undefined {
  switch (operator) {
    case "$set":
    case "$setOnInsert":
      return () => operand;
    case "$unset":
      return () => undefined;
    case "$inc":
    case "$mul":
      return arithmeticChange(operator, operand, path);
    case "$min":
      return (old) => (old === undefined || compare(operand, old, order) < 0 ? operand : old);
    case "$max":
      return (old) => (old === undefined || compare(operand, old, order) > 0 ? operand : old);
    case "$bit":
      return bitChange(operand);
    case "$currentDate":
      return currentDate(operand, now);
    case "$rename":
      throw failedToParse("$rename is not a change of one field");
    default:
      return undefined;
  }
}
