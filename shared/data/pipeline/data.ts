import { BSONRegExp, Decimal128, Double, Int32, Long, ObjectId } from "mongodb";
import type { JsonPath } from "./json.ts";
import { isObject, type JsonObject, mapObject } from "./json.ts";
import { refuseStructure, type Walk } from "./walk.ts";

const MOMENT = /^\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:?\d\d)?)?$/;
const HAS_OFFSET = /(?:[Zz]|[+-]\d\d:?\d\d)$/;

/** Parses an ISO 8601 date or date-time, in UTC if it has no offset. Undefined for any other text. */
export const momentOf = (text: string): Date | undefined => {
  if (!MOMENT.test(text)) return undefined;
  const isDay = text.length === 10;
  const iso = text.replace(" ", "T").toUpperCase();
  const moment = new Date(isDay || HAS_OFFSET.test(iso) ? iso : `${iso}Z`);
  return Number.isNaN(moment.getTime()) ? undefined : moment;
};

const INTEGER = /^-?\d{1,19}$/;

const longOf = (text: unknown): Long | undefined => {
  if (typeof text !== "string" || !INTEGER.test(text)) return undefined;
  const value = BigInt(text);
  return BigInt.asIntN(64, value) === value ? Long.fromBigInt(value) : undefined;
};

const dateOf = (value: unknown): Date | undefined => {
  if (typeof value === "string") return momentOf(value);
  const long = isObject(value) && Object.keys(value).length === 1 ? longOf(value.$numberLong) : undefined;
  const millis = typeof value === "number" ? value : long?.toNumber();
  if (millis === undefined || !Number.isInteger(millis)) return undefined;
  const moment = new Date(millis);
  return Number.isNaN(moment.getTime()) ? undefined : moment;
};

const doubleOf = (text: unknown): Double | undefined => {
  const number = typeof text === "string" && text.trim() !== "" ? Number(text) : undefined;
  if (number === undefined || (Number.isNaN(number) && text !== "NaN")) return undefined;
  return new Double(number);
};

const intOf = (text: unknown): Int32 | undefined => {
  const long = longOf(text);
  const number = long?.toNumber();
  return number !== undefined && Math.abs(number) < 2 ** 31 ? new Int32(number) : undefined;
};

const decimalOf = (text: unknown): Decimal128 | undefined => {
  try {
    return typeof text === "string" ? Decimal128.fromString(text) : undefined;
  } catch {
    return undefined;
  }
};

const regexOf = (value: unknown): BSONRegExp | undefined => {
  if (!isObject(value) || typeof value.pattern !== "string") return undefined;
  const { pattern, options = "" } = value;
  if (typeof options !== "string" || !/^[imsux]*$/.test(options) || pattern.includes("\0")) return undefined;
  return new BSONRegExp(pattern, options);
};

/** The types of MongoDB's extended JSON, relaxed and canonical. */
const extended: Readonly<Record<string, (value: unknown) => unknown>> = {
  $date: dateOf,
  $numberInt: intOf,
  $numberLong: longOf,
  $numberDouble: doubleOf,
  $numberDecimal: decimalOf,
  $oid: (value) =>
    typeof value === "string" && /^[0-9a-f]{24}$/i.test(value) ? ObjectId.createFromHexString(value) : undefined,
  $regularExpression: regexOf,
};

/** Extended JSON such as `{"$date": …}`: a value, not an operator. */
export const isExtended = (value: JsonObject): boolean => {
  const [key = "", ...more] = Object.keys(value);
  return more.length === 0 && Object.hasOwn(extended, key);
};

export const extendedValue = (value: JsonObject, jsonPath: JsonPath, walk: Walk): unknown => {
  const [key = ""] = Object.keys(value);
  const made = extended[key]?.(value[key]);
  if (made === undefined) refuseStructure(walk, [...jsonPath, key], `this is no value of ${key}.`);
  return made;
};

/** Converts extended JSON to its values where no operator can stand. Everything else stays unchanged. */
export const dataOf = (value: unknown, jsonPath: JsonPath, walk: Walk): unknown => {
  if (Array.isArray(value)) return value.map((item, index) => dataOf(item, [...jsonPath, index], walk));
  if (!isObject(value)) return value;
  if (isExtended(value)) return extendedValue(value, jsonPath, walk);
  return mapObject(value, (item, key) => dataOf(item, [...jsonPath, key], walk));
};
