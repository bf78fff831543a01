import { NodeError } from "./node-error.ts";

/** Characters of one value that an expression gives. */
const MOST_CHARACTERS = 4 * 1024 * 1024;
const DEEPEST = 50;

interface Spent {
  characters: number;
}

const tooLarge = (): NodeError => new NodeError("expression", "The expression gives too large a value.");

const numberOf = (value: number): number => {
  if (Number.isFinite(value)) return value;
  throw new NodeError("expression", "The expression gives a number that JSON does not have.");
};

const objectOf = (entries: Iterable<[unknown, unknown]>, spent: Spent, depth: number): unknown => {
  const pairs = [...entries].map(([key, inner]) => [String(key), jsonIn(inner, spent, depth + 1)] as const);
  for (const [key] of pairs) spent.characters += key.length;
  return Object.fromEntries(pairs);
};

const jsonIn = (value: unknown, spent: Spent, depth: number): unknown => {
  spent.characters += typeof value === "string" ? value.length + 2 : 4;
  if (spent.characters > MOST_CHARACTERS || depth > DEEPEST) throw tooLarge();
  if (value === undefined || value === null) return null;
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return numberOf(value);
    case "bigint":
      return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    default:
  }
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map((item) => jsonIn(item, spent, depth + 1));
  if (value instanceof Map) return objectOf(value.entries(), spent, depth);
  throw new NodeError("expression", "The expression gives a value that JSON does not have.");
};

/**
 * What an expression gives, as JSON: whole numbers become numbers, points in time ISO 8601. Raises `NodeError`. Lists
 * may hold a large value many times, so that the size is counted before anything is written.
 */
export const jsonOfExpression = (value: unknown): unknown => jsonIn(value, { characters: 0 }, 0);

/** A value as it would be read from JSON again, and its characters. */
export const plainJson = (value: unknown): { readonly value: unknown; readonly characters: number } => {
  const text = JSON.stringify(value ?? null);
  return { value: JSON.parse(text), characters: text.length };
};
