import { badValue } from "../foundation/fault.ts";
import type { Maybe, Value } from "./types.ts";
import { bsonType } from "./writer.ts";

const byNumber: Record<number, string> = {
  1: "double",
  2: "string",
  3: "object",
  4: "array",
  5: "binData",
  6: "undefined",
  7: "objectId",
  8: "bool",
  9: "date",
  10: "null",
  11: "regex",
  12: "dbPointer",
  13: "javascript",
  14: "symbol",
  15: "javascriptWithScope",
  16: "int",
  17: "timestamp",
  18: "long",
  19: "decimal",
  127: "maxKey",
  255: "minKey",
};

const byName = new Map(Object.entries(byNumber).map(([number, name]) => [name, Number(number)]));

export const numericTypes: readonly number[] = [1, 16, 18, 19];

export const typeName = (value: Maybe): string =>
  value === undefined ? "missing" : (byNumber[bsonType(value)] ?? "unknown");

export const typeNameOf = (type: number): string => byNumber[type] ?? "unknown";

/** The types that an operand of $type or a bsonType of a JSON schema names. */
export function typesOf(operand: Value, numberOf: (value: Value) => number | undefined): readonly number[] {
  if (typeof operand === "string") {
    if (operand === "number") return numericTypes;
    const type = byName.get(operand);
    if (type === undefined) throw badValue(`Unknown type name alias: ${operand}`);
    return [type];
  }
  const number = numberOf(operand);
  if (number === undefined) throw badValue("type must be represented as a number or a string");
  const type = number === -1 ? 255 : number;
  if (byNumber[type] === undefined) throw badValue(`Invalid numerical type code: ${number}`);
  return [type];
}
