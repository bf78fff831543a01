import { isObject } from "#shared/foundation/is-object";
import { fail, type ValidationContext, within } from "./validation.ts";

/** MongoDB allows 100 levels in a document. This leaves room for pipelines around the value. */
const DEEPEST = 20;
const LONGEST_LIST = 1_000;
const MOST_NODES = 20_000;

/** Refuses keys that MongoDB reads as operators or paths, and `__proto__`. */
const keyProblem = (key: string): string | undefined => {
  if (key === "") return "A key cannot be empty.";
  if (key.startsWith("$")) return "A key cannot begin with $.";
  if (key.includes(".") || key.includes("\0")) return "A key cannot contain a dot or NUL.";
  return key === "__proto__" ? "This key is not allowed." : undefined;
};

const walk = (value: unknown, context: ValidationContext, depth: number, budget: { nodes: number }): void => {
  budget.nodes -= 1;
  if (budget.nodes === -1) fail(context, "too_big", `Expected at most ${MOST_NODES} values in all.`);
  if (budget.nodes < 0) return;
  if (typeof value === "string" && !value.isWellFormed())
    fail(context, "unicode", "Expected well-formed Unicode text.");
  if (typeof value === "number" && !Number.isFinite(value)) fail(context, "number", "This number is too large.");
  if (typeof value !== "object" || value === null) return;
  if (depth === DEEPEST) {
    fail(context, "too_deep", `Expected at most ${DEEPEST} levels.`);
    return;
  }
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) walk(item, within(context, index), depth + 1, budget);
    return;
  }
  for (const [key, item] of Object.entries(value)) {
    const problem = keyProblem(key);
    if (problem === undefined) walk(item, within(context, key), depth + 1, budget);
    else fail(within(context, key), "key", problem);
  }
};

/** Any JSON value within the limits, unchanged. */
export const jsonValue = (value: unknown, context: ValidationContext): unknown => {
  walk(value, context, 0, { nodes: MOST_NODES });
  return value;
};

export const listValue = (value: unknown, context: ValidationContext): unknown => {
  if (!Array.isArray(value)) return fail(context, "array_type", "Expected an array.", value);
  if (value.length > LONGEST_LIST) return fail(context, "too_big", `Expected at most ${LONGEST_LIST} items.`);
  return jsonValue(value, context);
};

const addressLines = new Set(["street", "street_2", "city", "state", "postal_code", "country"]);
const addressBounds: ReadonlyMap<string, number> = new Map([
  ["latitude", 90],
  ["longitude", 180],
]);

/** `{street, street_2, city, state, postal_code, country, latitude, longitude}`, each optional. */
export const addressValue = (value: unknown, context: ValidationContext): unknown => {
  if (!isObject(value)) return fail(context, "object_type", "Expected an object with the lines of the address.", value);
  const address: Record<string, unknown> = {};
  for (const [key, part] of Object.entries(value)) {
    const inner = within(context, key);
    const bound = addressBounds.get(key);
    if (bound === undefined && !addressLines.has(key)) {
      fail(inner, "extra_forbidden", `Expected ${[...addressLines, ...addressBounds.keys()].join(", ")}.`);
    } else if (part === null) {
      // Null is no value.
    } else if (bound === undefined) {
      if (typeof part !== "string" || part.length > 500 || !part.isWellFormed()) {
        fail(inner, "string_type", "Expected a string of at most 500 characters.", part);
      }
      address[key] = part;
    } else {
      if (typeof part !== "number" || !(Math.abs(part) <= bound)) {
        fail(inner, "number_type", `Expected a number between -${bound} and ${bound}.`, part);
      }
      address[key] = part;
    }
  }
  return address;
};
