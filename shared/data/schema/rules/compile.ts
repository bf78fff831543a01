import { type TypeError as CelTypeError, Environment, type ParseError, type ParseResult } from "@marcbachmann/cel-js";
import type { ObjectSchema } from "../object-schema.ts";
import { edited } from "./edits.ts";
import { OPAQUE, REFERENCE, TIMESTAMP } from "./field-types.ts";
import { isAbsence, registerFunctions } from "./functions.ts";
import { PREDICATE_NODE_UNITS } from "./limits.ts";
import type { RuleProblem } from "./rule-issue.ts";
import { celOptions, type Node, parseCondition, readableType, sentenceOf } from "./syntax.ts";
import {
  OpaqueValue,
  type RecordTypes,
  RecordValue,
  ReferenceValue,
  recordTypesOf,
  UserValue,
  userTypes,
} from "./values.ts";
import { type Names, walkCondition } from "./walk.ts";

/** What the conditions of one object are compiled in. */
export interface RuleEnvironment {
  readonly cel: Environment;
  readonly types: RecordTypes;
  readonly encrypted: ReadonlySet<string>;
}

export interface CompiledCondition {
  readonly evaluate: ParseResult;
  /** The fields of `record` and `old` that the condition names. */
  readonly fields: ReadonlySet<string>;
  /** What its comprehensions take of the budget for each element. */
  readonly unitsPerElement: number;
}

/** What all expressions have. Costly to make. */
export const newEnvironment = (isAbsent: (error: unknown) => boolean): Environment => {
  const environment = new Environment(celOptions)
    .registerType(OPAQUE, { ctor: OpaqueValue, fields: {} })
    .registerType(REFERENCE, { ctor: ReferenceValue, fields: { id: "string", schema: "string", name: "string" } })
    .registerType("User", { ctor: UserValue, fields: { ...userTypes } })
    .registerVariable("user", "User")
    .registerVariable("now", TIMESTAMP);
  registerFunctions(environment, isAbsent);
  return environment;
};

/** Everything that conditions of all objects have. Objects have copies of it. */
let common: Environment | undefined;

const commonEnvironment = (): Environment => {
  common ??= newEnvironment(isAbsence);
  return common;
};

export const newRuleEnvironment = (schema: ObjectSchema, opaque: readonly string[]): RuleEnvironment => {
  const types = recordTypesOf(schema, opaque);
  const cel = commonEnvironment()
    .clone()
    .registerType("Record", { ctor: RecordValue, fields: Object.fromEntries(types) })
    .registerVariable("record", "Record")
    .registerVariable("old", "Record");
  const encrypted = Object.values(schema.properties).filter((field) => field.encrypted === true);
  return { cel, types, encrypted: new Set(encrypted.map(({ api_name }) => api_name)) };
};

/** The library's first type error, in the words of conditions. */
const typeProblem = (error: ParseError | CelTypeError | undefined): RuleProblem => {
  const summary = error?.summary ?? "The condition cannot be compiled";
  const at = error?.range ?? { start: 0, end: 0 };
  if (error?.code === "no_such_key") {
    return { at, type: "unknown_field", sentence: sentenceOf(summary.replace("No such key: ", "There is no field ")) };
  }
  return {
    at,
    type: "rule_type",
    sentence: sentenceOf(summary.replace("no such overload: ", "There is no operation ")),
  };
};

const isProblem = (parsed: Node | RuleProblem): parsed is RuleProblem => "sentence" in parsed;

const userFields: ReadonlySet<string> = new Set(Object.keys(userTypes));

/** The fields of the variables that every expression has. */
export const commonFields: Names["fields"] = new Map([["user", userFields]]);

const RECORD_VARIABLES = ["record", "old", "user", "now"];

/** An expression that compiles. */
export interface CompiledExpression extends CompiledCondition {
  readonly type: string;
}

/** An expression, or everything that is wrong with it. Of several type errors it is the first one. */
export const compileExpression = (
  cel: Environment,
  names: Names,
  text: string,
): CompiledExpression | readonly RuleProblem[] => {
  const parsed = parseCondition(text);
  if (isProblem(parsed)) return [parsed];
  const { problems, edits, fields, predicateNodes } = walkCondition(text, parsed, names);
  if (problems.length > 0) return problems;
  const evaluate = cel.parse(edited(text, edits));
  const { valid, type, error } = evaluate.check();
  if (!valid) return [typeProblem(error)];
  return { evaluate, fields, unitsPerElement: predicateNodes * PREDICATE_NODE_UNITS, type: type ?? "dyn" };
};

const notTrueOrFalse = (text: string, type: string): RuleProblem => {
  const sentence = `A condition is true or false, but this one is a value of type ${readableType(type)}.`;
  return { at: { start: 0, end: text.length }, type: "rule_type", sentence };
};

/** As `compileExpression`, for what must be true or false. `allowed`: the types of such an expression. */
export const compileTruth = (
  cel: Environment,
  names: Names,
  text: string,
  allowed: readonly string[],
): CompiledExpression | readonly RuleProblem[] => {
  const compiled = compileExpression(cel, names, text);
  if (!("evaluate" in compiled) || allowed.includes(compiled.type)) return compiled;
  return [notTrueOrFalse(text, compiled.type)];
};

/** A condition of an object, or everything that is wrong with it. */
export const compileCondition = (
  { cel, types, encrypted }: RuleEnvironment,
  condition: string,
): CompiledCondition | readonly RuleProblem[] => {
  const names = { variables: RECORD_VARIABLES, record: types, encrypted, fields: commonFields };
  return compileTruth(cel, names, condition, ["bool"]);
};

/** The fields of the object that a condition names; none for a text that is no condition. */
export const fieldsOfCondition = (condition: string): ReadonlySet<string> => {
  const parsed = parseCondition(condition);
  if (isProblem(parsed)) return new Set();
  const names = { variables: RECORD_VARIABLES, record: new Map(), encrypted: new Set<string>(), fields: commonFields };
  return walkCondition(condition, parsed, names).fields;
};
