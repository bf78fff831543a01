import { isObject } from "../json.ts";

// C0 and C1 control characters, and those that change the direction of text. Data must not control the terminal.
const unsafe = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Text of unknown origin on one line: line breaks and tabs become blanks, control characters a mark. */
export const plain = (text: string): string => text.replace(/\s+/g, " ").replace(unsafe, "\ufffd");

/** A reference as stored: `{id, schema, name}`. */
const isReference = (value: unknown): value is { id: string; schema: string; name?: unknown } =>
  isObject(value) && typeof value.id === "string" && typeof value.schema === "string";

/** A value for people: the name of a reference, the items of a list, a date and time to the minute. */
export const shown = (value: unknown, format?: string): string => {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return format === "date-time" ? moment(value) : plain(value);
  if (isReference(value)) return plain(String(value.name ?? value.id));
  if (Array.isArray(value)) return value.map((item) => shown(item)).join(", ");
  return plain(typeof value === "object" ? JSON.stringify(value) : String(value));
};

const moment = (text: string): string => plain(text).replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):\d\d\.\d{3}Z$/, "$1 $2Z");

/** A value for a CSV cell that can be read back: the id of a reference, the items of a list separated by semicolons. */
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
