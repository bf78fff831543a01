import type { Environment } from "@marcbachmann/cel-js";
import type { Issue } from "#shared/foundation/faults";
import { BudgetExceeded, charge, refillBudget } from "./budget.ts";
import { type CompiledExpression, commonFields, compileExpression, compileTruth, newEnvironment } from "./compile.ts";
import { isAbsenceInScope } from "./functions.ts";
import { AUTOMATION_BUDGET } from "./limits.ts";
import { type RuleProblem, ruleIssue } from "./rule-issue.ts";
import { type Converted, jsonOf, type RuleUser, userValueOf } from "./values.ts";

/**
 * Expressions over named JSON values, as automations and notification settings have them. The language is that of validation rules, with other
 * variables and without types of fields.
 */
const automationVariables = ["inputs", "vars", "nodes", "loops", "item", "index", "error"] as const;

/** Those of the conditions of notification settings. */
const settingVariables = ["record", "old", "data"] as const;

const jsonVariables = [...automationVariables, ...settingVariables] as const;

export type ScopeVariable = (typeof jsonVariables)[number];

/** What an expression may name: variables, and the fields of those whose fields are known. */
export interface ScopeNames {
  readonly variables: readonly ScopeVariable[];
  readonly fields: ReadonlyMap<string, ReadonlySet<string>>;
}

/** `vars`, `nodes` and `loops` hold values of their own. Each is charged when it is read. */
class Values extends Map<string, unknown> {
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(values: Readonly<Record<string, unknown>>) {
    super();
    this.#values = values;
  }

  override get(name: string): unknown {
    return Object.hasOwn(this.#values, name) ? read(this.#values[name]) : undefined;
  }
}

/** Values are never changed in place, so that each is converted once. */
const converted = new WeakMap<object, Converted>();

const convert = (value: unknown): Converted => {
  if (typeof value !== "object" || value === null) return jsonOf(value);
  const known = converted.get(value) ?? jsonOf(value);
  converted.set(value, known);
  return known;
};

/** Null is absent, as in conditions of records. */
const read = (value: unknown): unknown => {
  if (value === null || value === undefined) return undefined;
  const { value: inner, units, elements } = convert(value);
  charge(units, elements);
  return inner;
};

/** Undefined values are absent. */
export type Scope = Readonly<Partial<Record<ScopeVariable, unknown>>> & { readonly user: RuleUser; readonly now: Date };

const grouped: ReadonlySet<string> = new Set(["vars", "nodes", "loops"]);

class ScopeContext extends Map<string, unknown> {
  readonly #scope: Scope;

  constructor(scope: Scope) {
    super();
    this.#scope = scope;
  }

  override get(name: string): unknown {
    if (name === "user") return userValueOf(this.#scope.user);
    if (name === "now") return this.#scope.now;
    const value = this.#scope[name as ScopeVariable];
    if (grouped.has(name)) return new Values((value ?? {}) as Record<string, unknown>);
    return read(value);
  }
}

let environment: Environment | undefined;

const scopeEnvironment = (): Environment => {
  if (environment !== undefined) return environment;
  // Without a list of fields the library lets an expression read any.
  environment = newEnvironment(isAbsenceInScope).registerType("Values", { ctor: Values });
  for (const name of jsonVariables) environment.registerVariable(name, "dyn");
  return environment;
};

const namesOf = ({ variables, fields }: ScopeNames) => ({
  variables: [...variables, "user", "now"],
  record: null,
  encrypted: new Set<string>(),
  fields: new Map([...commonFields, ...fields]),
});

const everything: ScopeNames = { variables: jsonVariables, fields: new Map() };

export type ExpressionKind = "condition" | "value";

const compile = (kind: ExpressionKind, text: string, names: ScopeNames): CompiledExpression | readonly RuleProblem[] =>
  kind === "condition"
    ? compileTruth(scopeEnvironment(), namesOf(names), text, ["bool", "dyn"])
    : compileExpression(scopeEnvironment(), namesOf(names), text);

const ofExpressions = (problem: RuleProblem): RuleProblem => ({
  ...problem,
  sentence: problem.sentence
    .replace(/^A condition (?=may|cannot|has)/, "An expression ")
    .replace(": a condition has", ": there are"),
});

/** Everything that is wrong with an expression. Empty if nothing is. */
export const expressionProblems = (kind: ExpressionKind, text: string, names: ScopeNames): readonly RuleProblem[] => {
  const compiled = compile(kind, text, names);
  return "evaluate" in compiled ? [] : compiled.map(ofExpressions);
};

/** Everything that is wrong with the condition of a notification setting. */
export const settingConditionIssues = (condition: string, loc: Issue["loc"]): Issue[] =>
  expressionProblems("condition", condition, { variables: settingVariables, fields: new Map() }).map((problem) =>
    ruleIssue(loc, condition, problem),
  );

/** An expression that is compiled once and evaluated often. */
export type Evaluate = (scope: Scope) => unknown;

/** Why an expression has no value. */
export class ExpressionError extends Error {
  override readonly name = "ExpressionError";
}

const reasonOf = (error: unknown): string => {
  if (error instanceof BudgetExceeded) return "The expression costs too much.";
  const summary = error instanceof Error && "summary" in error ? String(error.summary) : "";
  return summary === "" ? "The expression cannot be evaluated." : `The expression cannot be evaluated: ${summary}.`;
};

/**
 * The value of an expression: as the library gives it, undefined if it reads something absent. Raises
 * `ExpressionError`, also for a text that does not compile.
 */
export const expressionOf = (kind: ExpressionKind, text: string): Evaluate => {
  const compiled = compile(kind, text, everything);
  if (!("evaluate" in compiled)) throw new ExpressionError(compiled[0]?.sentence ?? "The expression is not valid.");
  return (scope) => {
    refillBudget(compiled.unitsPerElement, AUTOMATION_BUDGET);
    try {
      return compiled.evaluate(new ScopeContext(scope));
    } catch (error) {
      if (isAbsenceInScope(error)) return undefined;
      throw new ExpressionError(reasonOf(error), { cause: error });
    }
  };
};
