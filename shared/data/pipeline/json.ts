export interface JsonObject {
  readonly [key: string]: unknown;
}

/** A value of parsed JSON that is an object. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const mapObject = (value: JsonObject, map: (item: unknown, key: string) => unknown): Record<string, unknown> =>
  Object.fromEntries(Object.entries(value).map(([key, item]) => [key, map(item, key)]));

/** Names beginning with `$` mean something to the database unless they stand in data. */
export const isOperatorName = (key: string): boolean => key.startsWith("$");

export const operatorNames = (value: JsonObject): string[] => Object.keys(value).filter(isOperatorName);
