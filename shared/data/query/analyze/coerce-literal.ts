import type { Literal } from "../parse/syntax.ts";
import { dayOf, formatDay, parseDay, parseMoment, relativeDays, startOfDay } from "./calendar.ts";
import type { Column, Kind } from "./column.ts";
import type { Resolver } from "./resolver.ts";

/**
 * A literal in the stored form of a column's kind. A day compared with date-times, or a relative date, is a range; `to`
 * is exclusive. `also` is another value that the literal is equal to.
 */
export type Coerced =
  | { readonly kind: "null" }
  | { readonly kind: "value"; readonly value: string | number | boolean | Date; readonly also?: string }
  | { readonly kind: "range"; readonly from: string | Date; readonly to: string | Date };

const kindNames: Record<Kind, string> = {
  text: "text",
  number: "a number",
  boolean: "TRUE or FALSE",
  date: "a date",
  datetime: "a date-time",
  json: "JSON",
  any: "a list",
};

const describeLiteral = (literal: Literal): string => {
  if (literal.kind === "string") return `'${literal.value}'`;
  if (literal.kind === "number" || literal.kind === "boolean") return String(literal.value);
  return literal.kind === "relative" ? literal.word : literal.kind.toUpperCase();
};

/** Converts only unambiguous values: `'42'` is a number, but `5` is no text. Null when refused, with an issue. */
export const coerceLiteral = (resolver: Resolver, column: Column, literal: Literal): Coerced | null => {
  if (literal.kind === "null") return { kind: "null" };
  const coerced = convert(resolver, column, literal);
  if (coerced) return coerced;
  const name = column.field.api_name;
  if (column.hidden !== null) {
    // The value may be a secret, so it is not repeated.
    return resolver.fail(literal.at, "query_type", `${name} is text; write the value in quotes.`);
  }
  const found = describeLiteral(literal);
  const hint = column.kind === "text" && literal.kind !== "me" ? ` Put it in quotes: '${found}'.` : hints[column.kind];
  const sentence = `${name} is ${kindNames[column.kind]}, which ${found} is not.${hint ?? ""}`;
  return resolver.fail(literal.at, "query_type", sentence, { found, expected: [kindNames[column.kind]] });
};

const hints: Partial<Record<Kind, string>> = {
  date: " Write '2026-01-31' or a relative date such as this_month.",
  datetime: " Write '2026-01-31', '2026-01-31T09:30:00Z' or a relative date such as last_n_days:30.",
};

const value = (plain: string | number | boolean | Date): Coerced => ({ kind: "value", value: plain });

const convert = (resolver: Resolver, column: Column, literal: Literal): Coerced | null => {
  const { scope } = resolver;
  if (literal.kind === "me") {
    const part = column.reference === null && column.path.endsWith(".id");
    const user = column.reference === "user" || column.reference === "*" || column.path === "_id" || part;
    return user ? value(scope.caller) : null;
  }
  switch (column.kind) {
    case "text":
      return literal.kind === "string" ? text(column, literal.value) : null;
    case "number":
      return literal.kind === "number"
        ? value(literal.value)
        : literal.kind === "string"
          ? numeric(literal.value)
          : null;
    case "boolean":
      return literal.kind === "boolean"
        ? value(literal.value)
        : literal.kind === "string"
          ? truth(literal.value)
          : null;
    case "date":
      return coerceDate(resolver, literal);
    case "datetime":
      return coerceMoment(resolver, literal);
    case "any":
      return literal.kind === "relative" || literal.kind === "null" ? null : value(literal.value);
    case "json":
      return null;
  }
};

/**
 * Emails are stored trimmed and in lower case, so a literal is equal to that form. It stays equal to itself too, for
 * records from before that rule.
 */
const text = ({ field, reference, hashOf = (same) => same }: Column, literal: string): Coerced => {
  const also = literal.trim().toLowerCase();
  const isEmail = field.format === "email" && reference === null;
  const found = hashOf(literal);
  return isEmail && also !== literal ? { kind: "value", value: found, also: hashOf(also) } : value(found);
};

const numeric = (text: string): Coerced | null => {
  const number = Number(text);
  return /^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) && Number.isFinite(number) ? value(number) : null;
};

const truth = (text: string): Coerced | null => {
  const lower = text.toLowerCase();
  return lower === "true" || lower === "false" ? value(lower === "true") : null;
};

const coerceDate = ({ scope }: Resolver, literal: Literal): Coerced | null => {
  if (literal.kind === "string") return parseDay(literal.value) === null ? null : value(literal.value);
  if (literal.kind !== "relative") return null;
  const today = dayOf(scope.now, scope.timeZone);
  if (literal.date === "now") return value(formatDay(today));
  const { from, to } = relativeDays(literal.date, today);
  return { kind: "range", from: formatDay(from), to: formatDay(to) };
};

const coerceMoment = ({ scope }: Resolver, literal: Literal): Coerced | null => {
  const days = (from: number, to: number): Coerced => ({
    kind: "range",
    from: startOfDay(from, scope.timeZone),
    to: startOfDay(to, scope.timeZone),
  });
  if (literal.kind === "string") {
    const day = parseDay(literal.value);
    if (day !== null) return days(day, day + 86_400_000);
    const moment = parseMoment(literal.value, scope.timeZone);
    return moment && value(moment);
  }
  if (literal.kind !== "relative") return null;
  if (literal.date === "now") return value(scope.now);
  const { from, to } = relativeDays(literal.date, dayOf(scope.now, scope.timeZone));
  return days(from, to);
};
