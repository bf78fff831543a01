import type { Context } from "@marcbachmann/cel-js";
import { hasRules, type ObjectSchema, type RuleOperation, type ValidationRule } from "../object-schema.ts";
import { BudgetExceeded, refillBudget } from "./budget.ts";
import { type CompiledCondition, compileCondition, newRuleEnvironment, type RuleEnvironment } from "./compile.ts";
import type { OpaqueFields } from "./field-types.ts";
import { isAbsence } from "./functions.ts";
import { RecordValue, type RuleUser, userValueOf } from "./values.ts";

/** A write of one record, with the stored values of all fields. `before` is null on create, `after` on delete. */
export interface RuleInput {
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
  readonly user: RuleUser;
  readonly now: Date;
  /** Rules that read one of these fields are left out. */
  readonly invalid?: ReadonlySet<string>;
}

/**
 * `condition`: it is true. `error`: it cannot be evaluated for this record, or at all since fields were changed.
 * `budget`: it costs too much.
 */
export type FailureReason = "condition" | "error" | "budget";

export interface RuleFailure {
  readonly rule: ValidationRule;
  readonly reason: FailureReason;
}

interface CompiledRule {
  readonly rule: ValidationRule;
  /** Null for a stored condition that does not compile (any more). */
  readonly condition: CompiledCondition | null;
}

interface CompiledRules {
  readonly environment: RuleEnvironment;
  readonly rules: readonly CompiledRule[];
}

const compiled = new WeakMap<ObjectSchema, CompiledRules>();

/** Compiled once a schema object, which is one schema version. */
const compiledRulesOf = (schema: ObjectSchema, opaque: OpaqueFields): CompiledRules => {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const environment = newRuleEnvironment(schema, opaque(schema));
  const rules = schema.validation_rules.map((rule) => {
    const condition = compileCondition(environment, rule.condition);
    return { rule, condition: "evaluate" in condition ? condition : null };
  });
  const all = { environment, rules };
  compiled.set(schema, all);
  return all;
};

const failureOf = ({ condition }: CompiledRule, context: Context): FailureReason | null => {
  if (condition === null) return "error";
  refillBudget(condition.unitsPerElement);
  try {
    return condition.evaluate(context) === true ? "condition" : null;
  } catch (error) {
    if (isAbsence(error)) return null;
    return error instanceof BudgetExceeded ? "budget" : "error";
  }
};

const operationOf = ({ before, after }: RuleInput): RuleOperation => {
  if (before === null) return "create";
  return after === null ? "delete" : "update";
};

const contextOf = ({ types }: RuleEnvironment, { before, after, user, now }: RuleInput): Context => {
  const record = new RecordValue(after ?? before, types);
  const old = after === null ? record : new RecordValue(before, types);
  return { record, old, user: userValueOf(user), now };
};

const readsAny = ({ condition }: CompiledRule, fields: ReadonlySet<string> | undefined): boolean =>
  fields !== undefined && fields.size > 0 && (condition === null || !condition.fields.isDisjointFrom(fields));

/** The active rules that refuse the write, in the order of the schema. Raises nothing. */
export const failingRules = (schema: ObjectSchema, opaque: OpaqueFields, input: RuleInput): RuleFailure[] => {
  const operation = operationOf(input);
  if (!hasRules(schema, operation)) return [];
  const { environment, rules } = compiledRulesOf(schema, opaque);
  const context = contextOf(environment, input);
  return rules.flatMap((each): RuleFailure[] => {
    const { rule } = each;
    if (!rule.active || !rule.on.includes(operation) || readsAny(each, input.invalid)) return [];
    const reason = failureOf(each, context);
    return reason === null ? [] : [{ rule, reason }];
  });
};
