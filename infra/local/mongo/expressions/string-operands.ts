import { countWork } from "../foundation/budget.ts";
import { type ErrorCode, MongoFault } from "../foundation/fault.ts";
import { Decimal } from "../values/decimal.ts";
import { isDouble, isNullish, isNumeric, toNumber } from "../values/numbers.ts";
import { typeName } from "../values/type-names.ts";
import { type Maybe, Timestamp, UtcDate } from "../values/types.ts";
import { shortNumberText, stringOf } from "./value-conversion.ts";

/** Counts the work of reading a whole text. */
export function counted(text: string): string {
  countWork(text.length >> 2);
  return text;
}

/** Coerces an operand of a string function as MongoDB does: null is empty, numbers and dates become text. */
export function coerced(value: Maybe, name: string): string {
  if (isNullish(value)) return "";
  if (typeof value === "string") return counted(value);
  if (isNumeric(value) && isDouble(value)) return shortNumberText(toNumber(value));
  if (isNumeric(value) || value instanceof Decimal || value instanceof UtcDate) return stringOf(value);
  if (value instanceof Timestamp)
    throw new MongoFault("Location16007", `can't convert from BSON type timestamp to String in ${name}`);
  throw new MongoFault("Location16007", `can't convert from BSON type ${typeName(value)} to String`);
}

export function text(value: Maybe, name: string, code: ErrorCode): string {
  if (typeof value !== "string")
    throw new MongoFault(code, `${name} requires a string argument, found: ${typeName(value)}`);
  return counted(value);
}
