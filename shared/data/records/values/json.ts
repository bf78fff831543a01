import { fail, type Spot, within } from "./report.ts";

/** MongoDB allows 100 levels of a whole document; ours leave room for the pipelines around them. */
const DEEPEST = 20;
const LONGEST_LIST = 1_000;
const MOST_NODES = 20_000;

/** Keys that MongoDB would read as operators or paths, or JavaScript as a prototype. */
const keyProblem = (key: string): string | undefined => {
  if (key === "") return "A key cannot be empty.";
  if (key.startsWith("$")) return "A key cannot begin with $.";
  if (key.includes(".") || key.includes("\0")) return "A key cannot contain a dot or NUL.";
  return key === "__proto__" ? "This key is not allowed." : undefined;
};

const walk = (value: unknown, spot: Spot, depth: number, budget: { nodes: number }): void => {
  budget.nodes -= 1;
  if (budget.nodes === -1) fail(spot, "too_big", `Expected at most ${MOST_NODES} values in all.`);
  if (budget.nodes < 0) return;
  if (typeof value === "string" && !value.isWellFormed()) fail(spot, "unicode", "Expected well-formed Unicode text.");
  if (typeof value === "number" && !Number.isFinite(value)) fail(spot, "number", "This number is too large.");
  if (typeof value !== "object" || value === null) return;
  if (depth === DEEPEST) {
    fail(spot, "too_deep", `Expected at most ${DEEPEST} levels.`);
    return;
  }
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) walk(item, within(spot, index), depth + 1, budget);
    return;
  }
  for (const [key, item] of Object.entries(value)) {
    const problem = keyProblem(key);
    if (problem === undefined) walk(item, within(spot, key), depth + 1, budget);
    else fail(within(spot, key), "key", problem);
  }
};

/** Any JSON value within bounds, as it is. */
export const jsonValue = (value: unknown, spot: Spot): unknown => {
  walk(value, spot, 0, { nodes: MOST_NODES });
  return value;
};

export const listValue = (value: unknown, spot: Spot): unknown => {
  if (!Array.isArray(value)) return fail(spot, "array_type", "Expected an array.", value);
  if (value.length > LONGEST_LIST) return fail(spot, "too_big", `Expected at most ${LONGEST_LIST} items.`);
  return jsonValue(value, spot);
};

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const addressLines = new Set(["street", "street_2", "city", "state", "postal_code", "country"]);
const addressBounds: ReadonlyMap<string, number> = new Map([
  ["latitude", 90],
  ["longitude", 180],
]);

/** `{street, street_2, city, state, postal_code, country, latitude, longitude}`, each optional. */
export const addressValue = (value: unknown, spot: Spot): unknown => {
  if (!isObject(value)) return fail(spot, "object_type", "Expected an object with the lines of the address.", value);
  const address: Record<string, unknown> = {};
  for (const [key, part] of Object.entries(value)) {
    const place = within(spot, key);
    const bound = addressBounds.get(key);
    if (bound === undefined && !addressLines.has(key)) {
      fail(place, "extra_forbidden", `Expected ${[...addressLines, ...addressBounds.keys()].join(", ")}.`);
    } else if (part === null) {
      // No value, as everywhere.
    } else if (bound === undefined) {
      if (typeof part !== "string" || part.length > 500 || !part.isWellFormed()) {
        fail(place, "string_type", "Expected a string of at most 500 characters.", part);
      }
      address[key] = part;
    } else {
      if (typeof part !== "number" || !(Math.abs(part) <= bound)) {
        fail(place, "number_type", `Expected a number between -${bound} and ${bound}.`, part);
      }
      address[key] = part;
    }
  }
  return address;
};
