import { filledIn } from "#shared/data/schema/automations/automations";
import type { Evaluate, Scope } from "#shared/data/schema/rules/rules";
import { boundedCache } from "#shared/foundation/bounded-cache";
import { now } from "#shared/foundation/clock";
import type { Caller } from "#shared/tenant/tenant";
import { jsonOfExpression } from "./json.ts";
import { NodeError } from "./node-error.ts";
import type { RunState } from "./state.ts";

/** Its library is loaded when the first node is executed. */
type Engine = Pick<typeof import("#shared/data/schema/rules/rules"), "expressionOf" | "ExpressionError">;

/** By the text alone: an expression is compiled without knowing any data. */
const compiled = boundedCache<Evaluate>({ mostBytes: 8 * 1024 * 1024, bytesOf: () => 8_000 });

const compiledOf = ({ expressionOf }: Engine, kind: "condition" | "value", text: string): Evaluate => {
  const key = `${kind} ${text}`;
  const known = compiled.get(key);
  if (known !== undefined) return known;
  const evaluate = expressionOf(kind, text);
  compiled.set(key, evaluate);
  return evaluate;
};

const scopeOf = (state: RunState, caller: Caller): Scope => {
  const { inputs, vars, nodes, error, position } = state;
  const inner = position.frames.at(-1);
  const loops = position.frames.map(({ loop, items, index }) => [loop, { item: items[index], index }] as const);
  return {
    user: caller,
    now: now(),
    inputs,
    vars,
    nodes,
    loops: Object.fromEntries(loops),
    ...(inner && { item: inner.items[inner.index], index: inner.index }),
    ...(error && { error }),
  };
};

const evaluatorOf =
  (engine: Engine, scope: Scope) =>
  (kind: "condition" | "value", text: string): unknown => {
    try {
      return compiledOf(engine, kind, text)(scope);
    } catch (error) {
      if (error instanceof engine.ExpressionError) throw new NodeError("expression", error.message);
      throw error;
    }
  };

/** Evaluates what a node says. */
export interface Evaluation {
  /** Something absent is false. Raises `NodeError` for what is neither true nor false. */
  condition(text: string): boolean;
  /** A value of the node's configuration with its expressions replaced. Something absent is null. */
  value(configured: unknown): unknown;
}

export const evaluationOf = async (state: RunState, caller: Caller): Promise<Evaluation> => {
  const evaluate = evaluatorOf(await import("#shared/data/schema/rules/rules"), scopeOf(state, caller));
  return {
    condition: (text) => {
      const value = evaluate("condition", text) ?? false;
      if (typeof value === "boolean") return value;
      throw new NodeError("expression", "The condition is neither true nor false.");
    },
    value: (configured) => filledIn(configured, (text) => jsonOfExpression(evaluate("value", text))),
  };
};
