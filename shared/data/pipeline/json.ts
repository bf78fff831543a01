export interface JsonObject {
  readonly [key: string]: unknown;
}

/** An object in parsed JSON. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const mapObject = (value: JsonObject, map: (item: unknown, key: string) => unknown): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).map(([key, item]) => [key, map(item, key)]));

/** Names that begin with `$` are operators, except in data. */
export const isOperatorName = (key: string): boolean => key.startsWith("$");

export const operatorNames = (value: JsonObject): string[] => Object.keys(value).filter(isOperatorName);

/** A path in the request body: `["pipeline", 2, "$lookup", "pipeline", 0, "$out"]`. */
export type JsonPath = readonly (string | number)[];

const LONGEST_KEY = 80;

const short = (key: string): string => (key.length > LONGEST_KEY ? `${key.slice(0, LONGEST_KEY)}…` : key);

/** Callers choose the keys, of any length. */
export const shortJsonPath = (jsonPath: JsonPath): JsonPath =>
  jsonPath.map((part) => (typeof part === "string" ? short(part) : part));

/** `pipeline[2].$lookup.pipeline[0].$out` */
export const jsonPathText = (jsonPath: JsonPath): string =>
  shortJsonPath(jsonPath)
    .map((part, index) => (typeof part === "number" ? `[${part}]` : `${index === 0 ? "" : "."}${part}`))
    .join("");
