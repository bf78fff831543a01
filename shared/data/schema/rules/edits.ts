import { IS_NULL, replacedMethods } from "./functions.ts";
import type { Span } from "./rule-issue.ts";
import { literalOf, type Node, type Of } from "./syntax.ts";

/** A replacement of a part of the condition by a text of the same length. */
export interface Edit {
  readonly at: Span;
  readonly text: string;
}

/** The condition as it is compiled. Positions are those of the original. */
export const edited = (condition: string, edits: readonly Edit[]): string =>
  edits.reduce((text, { at, text: piece }) => text.slice(0, at.start) + piece + text.slice(at.end), condition);

const isNull = (node: Node): boolean => literalOf(node) === null;

/** `x == null`, `x != null`, `null == x`, `null != x`. */
export const isNullTest = (node: Node): node is Of<"==" | "!="> =>
  (node.op === "==" || node.op === "!=") && node.args.some(isNull);

/** A field, or an element of a list or of JSON: `record.company.name`, `record.data["a b"][0]`. */
const PATH = /^[A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*|\s*\[\s*(?:\d+|"[^"\\\n]*"|'[^'\\\n]*')\s*\])*$/;

/**
 * `x == null` → `nil(x)`: the library raises an error for an absent field, and has no comparison of other types with
 * null. Undefined for operands that are no fields, and for parentheses and comments around them.
 */
export const nullTestEdit = (condition: string, node: Of<"==" | "!=">): Edit | undefined => {
  const [left, right] = node.args;
  const operand = isNull(left) ? right : left;
  const path = condition.slice(operand.start, operand.end);
  const between = condition.slice(left.end, right.start).trim();
  if (!PATH.test(path) || between !== node.op) return undefined;
  const test = `${node.op === "!=" ? "!" : ""}${IS_NULL}(${path})`;
  return { at: node, text: test.padEnd(node.end - node.start) };
};

/** Renames a method that the library has under a name of its own. Undefined if a comment stands before the name. */
export const methodEdit = (condition: string, node: Of<"rcall">): Edit | undefined => {
  const [name, receiver] = node.args;
  const start = condition.indexOf(name, receiver.end);
  if (!/^[\s).]*$/.test(condition.slice(receiver.end, start))) return undefined;
  return { at: { start, end: start + name.length }, text: replacedMethods[name] ?? name };
};
