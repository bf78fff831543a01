import * as z from "zod";
import type { Field } from "../object-schema.ts";
import { fail, issueOf, type ValidationContext } from "./validation.ts";

/** In UTF-16 units. `LONGEST_TEXT` is for the long formats. */
const LONGEST = 65_536;
const LONGEST_TEXT = 262_144;
const LONGEST_URL = 2_048;
/** RFC 5321 §4.5.3.1.3: 256 octets with the angle brackets. */
const LONGEST_EMAIL = 254;

const longFormats = new Set(["text-area", "html", "markdown"]);

const DATE = z.regexes.date;
const EMAIL = z.regexes.email;
/** E.164, with an extension as in RFC 3966. */
const PHONE = /^\+[1-9]\d{6,14}(?:;ext=\d{1,20})?$/;
const TIME = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(\.\d{1,3})?)?$/;
const MOMENT =
  /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)$/;

type TextFormat = (text: string, context: ValidationContext) => unknown;

/** Trimmed and in lower case as a whole. The part before the @ distinguishes cases in theory only (RFC 5321 §2.4). */
const emailValue: TextFormat = (text, context) => {
  const email = text.trim();
  if (email.length > LONGEST_EMAIL || !EMAIL.test(email))
    return fail(context, "email_format", "Expected an email address.", text);
  return email.toLowerCase();
};

const phoneValue: TextFormat = (text, context) => {
  const { phones } = context.report;
  const number = phones === undefined ? text : phones.read(text);
  if (number !== undefined && PHONE.test(number)) return number;
  const expected = "Expected a telephone number with its country code, such as +4930123456";
  const hint =
    phones?.country === undefined
      ? ". Numbers without one are accepted when settings.country of the organization is set."
      : `, or a number of the organization's country (${phones.country}).`;
  return fail(context, "phone_format", `${expected}${hint}`, text);
};

const isWebAddress = (text: string): boolean =>
  text.length <= LONGEST_URL && /^https?:\/\/[^\s/?#]/i.test(text) && !/\s/.test(text) && URL.canParse(text);

/** `09:30` → `09:30:00`, so that equal times are equal texts and the text order is the time order. */
const timeOf = (text: string): string | undefined => {
  const found = TIME.exec(text);
  if (found === null) return undefined;
  const [, hours, minutes, seconds = "00", fraction] = found;
  return `${hours}:${minutes}:${seconds}${fraction === undefined ? "" : fraction.padEnd(4, "0")}`;
};

/**
 * Requires an offset, because a local time is ambiguous. Leap seconds are refused: neither JavaScript nor MongoDB can
 * store them. So are moments that are outside of the years 0000 to 9999 in UTC, which RFC 3339 cannot write.
 */
const momentOf = (text: string): Date | undefined => {
  const date = MOMENT.exec(text)?.[1];
  if (date === undefined || !DATE.test(date)) return undefined;
  const moment = new Date(text.replace(/([+-]\d{2})(\d{2})$/, "$1:$2").replace(/(\.\d{3})\d+/, "$1"));
  const year = moment.getUTCFullYear();
  return year >= 0 && year <= 9_999 ? moment : undefined;
};

const choiceOf = (text: string, field: Field, context: ValidationContext): string | undefined => {
  if (field.restricted !== true || field.values === undefined || field.values.includes(text)) return text;
  const some = field.values.slice(0, 20).map((value) => `"${value}"`);
  const msg = `Expected one of: ${some.join(", ")}${field.values.length > 20 ? ", …" : ""}.`;
  const { choices } = context.report;
  if (choices === undefined) return fail(context, "enum", msg, text);
  choices.push({ text, at: context.at, issue: issueOf(context, "enum", msg, text) });
  return text;
};

const formats: Readonly<Record<string, TextFormat>> = {
  email: emailValue,
  phone: phoneValue,
  url: (text, context) =>
    isWebAddress(text)
      ? text
      : fail(context, "url_format", "Expected an address beginning with http:// or https://.", text),
  date: (text, context) =>
    DATE.test(text) ? text : fail(context, "date_format", "Expected a calendar date as YYYY-MM-DD.", text),
  time: (text, context) =>
    timeOf(text) ?? fail(context, "time_format", "Expected a time of day as HH:MM or HH:MM:SS.", text),
  "date-time": (text, context) =>
    momentOf(text) ??
    fail(
      context,
      "datetime_format",
      "Expected a date and time in ISO 8601 with Z or an offset, such as 2026-01-31T09:30:00Z.",
      text,
    ),
};

/** A text in its stored form. A `date-time` becomes a Date, other formats stay text. */
export const textValue = (value: unknown, field: Field, context: ValidationContext): unknown => {
  if (typeof value !== "string") return fail(context, "string_type", "Expected a string.", value);
  const longest = longFormats.has(field.format ?? "") ? LONGEST_TEXT : LONGEST;
  if (value.length > longest) return fail(context, "too_long", `Expected at most ${longest} characters.`);
  if (!value.isWellFormed()) return fail(context, "unicode", "Expected well-formed Unicode text.");
  if (field.format === "enum") return choiceOf(value, field, context);
  const format = field.format === undefined ? undefined : formats[field.format];
  return format === undefined ? value : format(value, context);
};

/** The chosen values without duplicates, in the order of the request. */
export const choicesValue = (value: unknown, field: Field, context: ValidationContext): unknown => {
  if (!Array.isArray(value)) return fail(context, "array_type", "Expected an array of the chosen values.", value);
  if (value.length > 1_000) return fail(context, "too_big", "Expected at most 1000 values.");
  const chosen = value.map((item, index) => {
    const inner = { ...context, at: [...context.at, index] };
    return typeof item === "string" && item.length <= LONGEST && item.isWellFormed()
      ? choiceOf(item, field, inner)
      : fail(inner, "string_type", "Expected a string.", item);
  });
  return [...new Set(chosen)];
};
