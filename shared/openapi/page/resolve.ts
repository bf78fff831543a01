import type { JsonSchema, OpenapiDocument } from "../document.ts";

const PLACE = "#/components/schemas/";

export const refName = (schema: JsonSchema): string | undefined => schema.$ref?.replace(PLACE, "");

/** The schema itself, its reference followed. */
export const resolve = (document: OpenapiDocument, schema: JsonSchema): JsonSchema => {
  const name = refName(schema);
  return name === undefined ? schema : (document.components.schemas[name] ?? {});
};

export const isNull = (schema: JsonSchema): boolean => schema.type === "null";

/** Type names without "null". */
export const typesOf = ({ type }: JsonSchema): readonly string[] =>
  (typeof type === "string" ? [type] : (type ?? [])).filter((name) => name !== "null");
