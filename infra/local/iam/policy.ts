import * as z from "zod";
import type { ConditionContext } from "../sdk/call.ts";
import { type Condition, holds, unsupportedIn } from "./conditions.ts";
import { matchesArn, matchesWildcard } from "./wildcard.ts";

const oneOrMore = z.union([z.string().transform((one) => [one]), z.array(z.string())]);
const conditionValue = z.union([z.string(), z.boolean(), z.number()]).transform(String);

const condition = z.record(
  z.string(),
  z.record(z.string(), z.union([conditionValue.transform((one) => [one]), z.array(conditionValue)])),
);

const principal = z.union([z.literal("*").transform(() => ({ AWS: ["*"] })), z.record(z.string(), oneOrMore)]);

const statement = z.strictObject({
  Sid: z.string().optional(),
  Effect: z.enum(["Allow", "Deny"]),
  Principal: principal.optional(),
  Action: oneOrMore,
  Resource: oneOrMore.optional(),
  Condition: condition.optional(),
});

/**
 * A policy document. `NotAction`, `NotResource`, `NotPrincipal`, policy variables and unsupported conditions are
 * errors, so that a policy never allows more than on AWS.
 */
export const policyDocument = z
  .strictObject({
    Version: z.literal("2012-10-17").optional(),
    Id: z.string().optional(),
    Statement: z.union([statement.transform((one) => [one]), z.array(statement)]),
  })
  .check((context) => {
    for (const one of context.value.Statement) {
      const variable = one.Resource?.find((resource) => resource.includes("${"));
      const problem =
        variable === undefined ? one.Condition && unsupportedIn(one.Condition) : `the variable in ${variable}`;
      if (problem !== undefined) {
        context.issues.push({ code: "custom", message: `${problem} is not supported`, input: one });
      }
    }
  })
  .transform((document): readonly Statement[] => document.Statement);

export interface Statement {
  readonly Effect: "Allow" | "Deny";
  readonly Principal?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly Action: readonly string[];
  readonly Resource?: readonly string[] | undefined;
  readonly Condition?: Condition | undefined;
}

export interface AccessRequest {
  readonly action: string;
  readonly resource: string;
  readonly context: ConditionContext;
}

const applies = (statement: Statement, { action, resource, context }: AccessRequest): boolean =>
  statement.Action.some((pattern) => matchesWildcard(pattern.toLowerCase(), action.toLowerCase())) &&
  (statement.Resource ?? ["*"]).some((pattern) => matchesArn(pattern, resource)) &&
  (statement.Condition === undefined || holds(statement.Condition, context));

/** Evaluates statements: an explicit denial overrides any permission; the default is a denial. */
export const evaluate = (statements: readonly Statement[], request: AccessRequest): "allow" | "deny" | "silent" => {
  let answer: "allow" | "silent" = "silent";
  for (const statement of statements) {
    if (statement.Effect === "Allow" && answer === "allow") continue;
    if (!applies(statement, request)) continue;
    if (statement.Effect === "Deny") return "deny";
    answer = "allow";
  }
  return answer;
};

/** Whether the policy of a resource lets a service (`sns.amazonaws.com`) do something. */
export const serviceMay = (statements: readonly Statement[], service: string, request: AccessRequest): boolean => {
  const concerns = ({ Principal }: Statement): boolean =>
    Principal?.Service?.includes(service) === true || Principal?.AWS?.includes("*") === true;
  return evaluate(statements.filter(concerns), request) === "allow";
};
