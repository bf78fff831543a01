import type * as z from "zod";
import type { objectSchema } from "#contracts/object-schema";
import { isObject, type Json, parseJson } from "../json.ts";

export type ObjectSchema = z.output<typeof objectSchema>;

type Field = ObjectSchema["properties"][string];

const booleans: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  "1": true,
  false: false,
  no: false,
  "0": false,
};

/**
 * Converts a cell's text to the field's type. Invalid text stays text, so that the platform reports it. An empty cell
 * is undefined, which is no value.
 */
const typed = (text: string, field: Field | undefined): unknown => {
  if (text === "") return undefined;
  const trimmed = text.trim();
  if (field?.type === "number") return trimmed !== "" && Number.isFinite(Number(trimmed)) ? Number(trimmed) : text;
  if (field?.type === "boolean") return booleans[trimmed.toLowerCase()] ?? text;
  if (field?.type === "list") {
    const list = trimmed.startsWith("[") ? parseJson(trimmed) : undefined;
    return Array.isArray(list) ? list : trimmed.split(";").map((each) => each.trim());
  }
  if (field?.type === "json") {
    const value = parseJson(trimmed);
    return isObject(value) || Array.isArray(value) ? value : text;
  }
  return text;
};

/** Fields that only the platform sets. */
const kept = ["id", "created_date", "modified_date", "created_by", "modified_by"];

/** Columns of an export that cannot be set. `id` says which record to update. */
export const unsettable = (columns: readonly string[], keepId: boolean): string[] =>
  columns.filter((column) => kept.includes(column) && !(keepId && column === "id"));

export const typedRecord = (record: Json, schema: ObjectSchema, without: readonly string[]): Json =>
  Object.fromEntries(
    Object.entries(record).flatMap(([key, text]) => {
      if (without.includes(key)) return [];
      const value = typed(String(text), schema.properties[key]);
      return value === undefined ? [] : [[key, value]];
    }),
  );

/** `field=value` pairs as one record. */
export const assigned = (pairs: readonly string[], schema: ObjectSchema): Json =>
  Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      const key = pair.slice(0, at).trim();
      return [key, typed(pair.slice(at + 1), schema.properties[key]) ?? null];
    }),
  );
