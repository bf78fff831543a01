import type { Condition, Literal, Operand } from "#shared/data/query/parse/syntax";

/** A value in SQL's terms; a list only for fields with several values. */
export type Value = string | number | boolean | Date | null | readonly string[];

/** The value of an operand in a row. */
export type ReadOperand = (operand: Operand) => Value;

/** TRUE, FALSE or UNKNOWN. */
export type Truth = boolean | null;

const not = (truth: Truth): Truth => (truth === null ? null : !truth);
const and = (truths: readonly Truth[]): Truth => (truths.includes(false) ? false : truths.includes(null) ? null : true);
const or = (truths: readonly Truth[]): Truth => not(and(truths.map(not)));

/** A condition by the definition of three-valued logic, written as simply as possible. */
export const evaluate = (condition: Condition, read: ReadOperand): Truth => {
  switch (condition.kind) {
    case "and":
      return and(condition.items.map((item) => evaluate(item, read)));
    case "or":
      return or(condition.items.map((item) => evaluate(item, read)));
    case "not":
      return not(evaluate(condition.item, read));
    case "comparison":
      return compare(read(condition.left), condition.operator, read(condition.right), condition.right);
    case "between": {
      const value = read(condition.left);
      const low = compare(value, ">=", read(condition.low), condition.low);
      const inside = and([low, compare(value, "<=", read(condition.high), condition.high)]);
      return condition.negated ? not(inside) : inside;
    }
    case "in": {
      const value = read(condition.left);
      const found = or(condition.values.map((literal) => compare(value, "=", read(literal), literal)));
      return condition.negated ? not(found) : found;
    }
    case "like": {
      const value = read(condition.left);
      const pattern = read(condition.pattern);
      if (value === null || pattern === null) return null;
      const texts = Array.isArray(value) ? value : [value];
      const found = texts.some((text) => likeMatches(String(pattern), String(text)));
      return condition.negated ? !found : found;
    }
    case "is-null":
      return (read(condition.left) === null) !== condition.negated;
  }
};

const dayText = (date: Date): string => date.toISOString().slice(0, 10);

/** Compares by day if the other side is a day or a range of days; `from` and `to` are inclusive. */
const days = (text: string, now: Date): { from: string; to: string } | null => {
  const back = (count: number) => dayText(new Date(now.getTime() - count * 86_400_000));
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return { from: text, to: text };
  if (text === "today") return { from: back(0), to: back(0) };
  if (text === "yesterday") return { from: back(1), to: back(1) };
  return text.startsWith("last_n_days:") ? { from: back(Number(text.split(":")[1])), to: back(0) } : null;
};

export const referenceNow = new Date("2026-03-18T10:30:00.000Z");

const compare = (left: Value, operator: string, right: Value, written: Operand): Truth => {
  if (left === null || right === null) return null;
  if (Array.isArray(left)) return operator === "=" ? left.includes(right as string) : !left.includes(right as string);
  const text = (written as Literal).kind === "relative" ? (written as Literal & { word: string }).word : right;
  const range =
    typeof text === "string" && (left instanceof Date || written.kind === "relative") ? days(text, referenceNow) : null;
  if (range) {
    const day = left instanceof Date ? dayText(left) : String(left);
    return byOrder(operator, day < range.from ? -1 : day > range.to ? 1 : 0);
  }
  return byOrder(operator, order(left, right));
};

/** NULL first, then by value; text by code point. */
export const order = (left: Value, right: Value): number => {
  if (left === null || right === null) return Number(left !== null) - Number(right !== null);
  if (typeof left === "string" && typeof right === "string")
    return Buffer.compare(Buffer.from(left), Buffer.from(right));
  const [a, b] = [Number(left), left instanceof Date && typeof right === "string" ? Date.parse(right) : Number(right)];
  return a < b ? -1 : a > b ? 1 : 0;
};

const byOrder = (operator: string, sign: number): boolean => {
  if (operator === "=") return sign === 0;
  if (operator === "!=") return sign !== 0;
  if (operator === "<") return sign < 0;
  if (operator === "<=") return sign <= 0;
  return operator === ">" ? sign > 0 : sign >= 0;
};

/** LIKE by its definition: `%` is any characters, `_` is one, a backslash escapes the next one, ignoring case. */
const likeMatches = (pattern: string, text: string): boolean => matches([...pattern], [...text]);

const matches = ([first, ...pattern]: readonly string[], text: readonly string[]): boolean => {
  const [character, ...rest] = text;
  if (first === undefined) return character === undefined;
  if (first === "%") return matches(pattern, text) || (character !== undefined && matches([first, ...pattern], rest));
  if (character === undefined) return false;
  const [wanted = "", ...later] = first === "\\" ? pattern : [first, ...pattern];
  return (first === "_" || wanted.toLowerCase() === character.toLowerCase()) && matches(later, rest);
};
