import { isObject } from "../json.ts";

// C0 and C1 control characters, and those that turn the direction of text: data must not steer the terminal.
const unsafe = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Text from elsewhere on one line: line breaks and tabs become blanks, what could steer the terminal a mark. */
export const plain = (text: string): string => text.replace(/\s+/g, " ").replace(unsafe, "\ufffd");

/** A reference as stored: `{id, schema, name}`. */
const isReference = (value: unknown): value is { id: string; schema: string; name?: unknown } =>
  isObject(value) && typeof value.id === "string" && typeof value.schema === "string";

/** A value for people: a reference by its name, a list by its items, a moment to the minute. */
export const shown = (value: unknown, format?: string): string => {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return format === "date-time" ? moment(value) : plain(value);
  if (isReference(value)) return plain(String(value.name ?? value.id));
  if (Array.isArray(value)) return value.map((item) => shown(item)).join(", ");
  return plain(typeof value === "object" ? JSON.stringify(value) : String(value));
};

const moment = (text: string): string => plain(text).replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d\.\d{3}Z$/, "$1 $2Z");

/** A value in a CSV cell, so that it can be read back: a reference by its id, a list by its items with semicolons. */
export const cell = (value: unknown): string => {
  if (value === null || value === undefined) return "";
  if (isReference(value)) return value.id;
  if (Array.isArray(value) && value.every((item) => !isObject(item) || isReference(item))) {
    return value.map(cell).join(";");
  }
  return typeof value === "object" ? JSON.stringify(value) : String(value);
};

/** `1 row`, `2,000 rows`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`;
