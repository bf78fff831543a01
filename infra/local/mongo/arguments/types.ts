import { badValue, failedToParse, MongoFault } from "../foundation/fault.ts";
import { Doc } from "../values/document.ts";
import { isNumeric, toInteger, toNumber } from "../values/numbers.ts";
import { typeName } from "../values/type-names.ts";
import { Binary, type Value } from "../values/types.ts";
import { type Check, checkFields, type Fields, wrongType } from "./fields.ts";

const withNull = (check: (value: Value, at: string) => void): Check =>
  Object.assign(check, { seesNull: true as const });

/** Checked where it is used. */
export const anything: Check = withNull(() => undefined);

export const object: Check = (value, at) => {
  if (!(value instanceof Doc)) throw wrongType(value, at, "type 'object'");
};

export const emptyObject: Check = (value, at) => {
  object(value, at);
  if (value instanceof Doc && value.size > 0) throw badValue(`BSON field '${at}' must be an empty object`);
};

export const text: Check = (value, at) => {
  if (typeof value !== "string") throw wrongType(value, at, "type 'string'");
};

export const bool: Check = (value, at) => {
  if (typeof value !== "boolean") throw wrongType(value, at, "type 'bool'");
};

/** A boolean, or a number in its place. */
export const looseBool: Check = (value, at) => {
  if (typeof value !== "boolean" && !isNumeric(value))
    throw wrongType(value, at, "types '[bool, long, int, decimal, double]'");
};

/** A boolean that may be neither a number nor null. */
export const flag: Check = withNull((value, at) => {
  if (typeof value !== "boolean")
    throw new MongoFault(
      "TypeMismatch",
      `Field '${nameIn(at)}' should be a boolean value, but found: ${typeName(value)}`,
    );
});

export const number: Check = (value, at) => {
  if (!isNumeric(value)) throw wrongType(value, at, "types '[long, int, decimal, double]'");
};

export const nonNegative: Check = (value, at) => {
  number(value, at);
  if (isNumeric(value) && toNumber(value) < 0)
    throw new MongoFault(
      "Location51024",
      `BSON field '${nameIn(at)}' value must be >= 0, actual value '${toNumber(value)}'`,
    );
};

/** An integer as the command count checks it. */
export const integer: Check = withNull((value, at) => {
  if (!isNumeric(value)) throw failedToParse(`Expected a number in: ${nameIn(at)}`);
  if (toInteger(value) === undefined) throw failedToParse(`Expected an integer: ${nameIn(at)}`);
});

export const nonNegativeInteger: Check = withNull((value, at) => {
  integer(value, at);
  if ((toInteger(value) ?? 0) < 0) throw failedToParse(`Expected a non-negative number in: ${nameIn(at)}`);
});

export const long: Check = (value, at) => {
  if (typeof value !== "bigint") throw wrongType(value, at, "type 'long'");
};

export const uuid: Check = (value, at) => {
  if (!(value instanceof Binary)) throw wrongType(value, at, "type 'binData'");
  if (value.subtype !== 4 || value.bytes.length !== 16)
    throw new MongoFault("TypeMismatch", `BSON field '${at}' is the wrong binData type, expected type 'UUID'`);
};

export const hint: Check = withNull((value) => {
  if (typeof value !== "string" && !(value instanceof Doc)) throw failedToParse("Hint must be a string or an object");
});

export const modification: Check = withNull((value) => {
  if (!(value instanceof Doc) && !Array.isArray(value))
    throw failedToParse("Update argument must be either an object or an array");
});

/** Refuses names that no collection can have. Creating a collection checks more. */
export const collection: Check = withNull((value) => {
  if (typeof value !== "string") throw badValue(`collection name has invalid type ${typeName(value)}`);
  if (value === "" || value.startsWith(".") || value.includes("\0"))
    throw new MongoFault("InvalidNamespace", `Invalid namespace specified '${value}'`);
});

export const oneOf =
  (...names: readonly string[]): Check =>
  (value, at) => {
    text(value, at);
    if (!names.includes(value as string))
      throw badValue(`Enumeration value '${String(value)}' for field '${at}' is not a valid value.`);
  };

export const arrayOf =
  (item: Check): Check =>
  (value, at) => {
    if (!Array.isArray(value)) throw wrongType(value, at, "type 'array'");
    for (const element of value) item(element, at);
  };

export const shape =
  (fields: Fields): Check =>
  (value, at) => {
    object(value, at);
    checkFields(value as Doc, fields, at);
  };

/** A value of any of the types. */
export const either =
  (expected: string, ...types: readonly ((value: Value) => boolean)[]): Check =>
  (value, at) => {
    if (!types.some((fits) => fits(value))) throw wrongType(value, at, `types '[${expected}]'`);
  };

export const isText = (value: Value): boolean => typeof value === "string";
export const isBool = (value: Value): boolean => typeof value === "boolean";
export const isObject = (value: Value): boolean => value instanceof Doc;
export const isTextList = (value: Value): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

const nameIn = (at: string): string => at.slice(at.lastIndexOf(".") + 1);
