import { automationLimits } from "#contracts/automation-definition";
import type { Issue } from "#shared/foundation/faults";
import { isObject } from "#shared/foundation/is-object";
import type { AutomationNode } from "./definition.ts";

/** The key of an object that stands for the value of an expression. */
const EXPRESSION_KEY = "=";

export interface FoundExpression {
  readonly kind: "condition" | "value";
  readonly text: string;
  readonly loc: Issue["loc"];
}

interface Search {
  readonly expressions: FoundExpression[];
  readonly issues: Issue[];
}

const searchObject = (value: Readonly<Record<string, unknown>>, loc: Issue["loc"], search: Search): void => {
  const names = Object.keys(value);
  if (!Object.hasOwn(value, EXPRESSION_KEY)) {
    for (const name of names) searchValue(value[name], [...loc, name], search);
    return;
  }
  const at = [...loc, EXPRESSION_KEY];
  const text = value[EXPRESSION_KEY];
  if (names.length === 1 && typeof text === "string") search.expressions.push({ kind: "value", text, loc: at });
  else
    search.issues.push({ loc: at, msg: 'An expression is written {"=": "…"}, with no other key.', type: "expression" });
};

const searchValue = (value: unknown, loc: Issue["loc"], search: Search): void => {
  // A position in nodes, an id, `config` and the name of the value stand before it.
  if (loc.length > automationLimits.valueDepth + 4) {
    const msg = `A value may nest at most ${automationLimits.valueDepth} levels.`;
    search.issues.push({ loc, msg, type: "value_too_deep" });
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) searchValue(item, [...loc, index], search);
  } else if (isObject(value)) searchObject(value, loc, search);
};

/** The expressions of a node and where they are. `at` is the place of the node. */
export const expressionsOf = (node: AutomationNode, at: Issue["loc"]): Search => {
  const search: Search = { expressions: [], issues: [] };
  const loc = [...at, "config"];
  if (node.type === "condition") {
    search.expressions.push({ kind: "condition", text: node.config.expression, loc: [...loc, "expression"] });
  } else searchValue(node.config, loc, search);
  if (search.expressions.length <= automationLimits.expressions) return search;
  const msg = `A node may have at most ${automationLimits.expressions} expressions.`;
  return { expressions: [], issues: [...search.issues, { loc, msg, type: "too_many_expressions" }] };
};

/** A value with its expressions replaced by what they give. */
export const filledIn = (value: unknown, evaluate: (text: string) => unknown): unknown => {
  if (Array.isArray(value)) return value.map((item) => filledIn(item, evaluate));
  if (!isObject(value)) return value;
  const text = value[EXPRESSION_KEY];
  if (typeof text === "string") return evaluate(text);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, filledIn(inner, evaluate)]));
};
