import { type ASTNode, Environment, ParseError } from "@marcbachmann/cel-js";
import { ruleLimits } from "./limits.ts";
import type { RuleProblem } from "./rule-issue.ts";

export type Node = ASTNode;

/** Parses only: without variables, types and the functions of conditions. */
export const celOptions = {
  limits: {
    maxAstNodes: ruleLimits.nodes,
    maxDepth: ruleLimits.depth,
    maxListElements: ruleLimits.listElements,
    maxMapEntries: 0,
    maxCallArguments: ruleLimits.arguments,
  },
} as const;

const limitSentences: Readonly<Record<string, string>> = {
  maxAstNodes: `A condition may have at most ${ruleLimits.nodes} operators, names and values.`,
  maxDepth: `A condition may nest at most ${ruleLimits.depth} levels.`,
  maxListElements: `A list may have at most ${ruleLimits.listElements} elements.`,
  maxMapEntries: "A condition cannot contain a map.",
  maxCallArguments: `A call may have at most ${ruleLimits.arguments} arguments.`,
};

/** `Exceeded maxDepth (32)` → a sentence of ours. */
const limitSentence = (summary: string): string => {
  const name = /^Exceeded (\w+)/.exec(summary)?.[1] ?? "";
  return limitSentences[name] ?? "The condition is too complex.";
};

/** The library's names of types, as conditions write them. */
export const readableType = (text: string): string =>
  text.replaceAll("google.protobuf.Timestamp", "timestamp").replaceAll("google.protobuf.Duration", "duration");

export const sentenceOf = (summary: string): string => {
  const text = readableType(summary);
  const first = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
};

/** The library's error as a problem. Its message may end with a piece of the condition, its summary does not. */
const syntaxProblem = (error: ParseError): RuleProblem => {
  const at = error.range ?? { start: 0, end: 0 };
  const isLimit = error.code === "limit_exceeded";
  return {
    at,
    type: isLimit ? "rule_too_complex" : "rule_syntax",
    sentence: isLimit ? limitSentence(error.summary) : sentenceOf(error.summary),
  };
};

const parser = new Environment(celOptions);

/** The syntax tree of a condition, or why it has none. */
export const parseCondition = (condition: string): Node | RuleProblem => {
  if (condition.length > ruleLimits.conditionLength) {
    const at = { start: ruleLimits.conditionLength, end: condition.length };
    const sentence = `A condition may have at most ${ruleLimits.conditionLength} characters.`;
    return { at, type: "rule_too_complex", sentence };
  }
  try {
    return parser.parse(condition).ast;
  } catch (error) {
    if (error instanceof ParseError) return syntaxProblem(error);
    throw error;
  }
};

/** The operands, arguments and elements of a node. */
export const childrenOf = (node: Node): readonly Node[] => {
  switch (node.op) {
    case "value":
    case "id":
      return [];
    case "call":
      return node.args[1];
    case "rcall":
      return [node.args[1], ...node.args[2]];
    case "map":
      return node.args.flat();
    case "!_":
    case "-_":
      return [node.args];
    case ".":
    case ".?":
      return [node.args[0]];
    default:
      return node.args;
  }
};

/** The value of a literal; undefined for other nodes. */
export const literalOf = (node: Node | undefined): unknown => (node?.op === "value" ? node.args : undefined);

export type Of<Op extends Node["op"]> = Extract<Node, { readonly op: Op }>;
