import type { ConditionContext } from "../sdk/call.ts";
import { matchesArn, matchesWildcard } from "./wildcard.ts";

type Test = (wanted: string, actual: string) => boolean;

const same: Test = (wanted, actual) => wanted === actual;
const sameIgnoringCase: Test = (wanted, actual) => wanted.toLowerCase() === actual.toLowerCase();

const operators: Readonly<Record<string, { test: Test; negated?: true }>> = {
  StringEquals: { test: same },
  StringNotEquals: { test: same, negated: true },
  StringEqualsIgnoreCase: { test: sameIgnoringCase },
  StringLike: { test: matchesWildcard },
  StringNotLike: { test: matchesWildcard, negated: true },
  ArnEquals: { test: matchesArn },
  ArnLike: { test: matchesArn },
  ArnNotLike: { test: matchesArn, negated: true },
  Bool: { test: sameIgnoringCase },
};

const keys = [
  "aws:PrincipalArn",
  "aws:PrincipalAccount",
  "aws:SecureTransport",
  "aws:SourceAccount",
  "aws:SourceArn",
  "iam:PassedToService",
  "kms:CallerAccount",
  "kms:EncryptionContext:*",
  "kms:EncryptionContextKeys",
  "kms:KeySpec",
  "kms:KeyUsage",
  "kms:MessageType",
  "kms:RequestAlias",
  "kms:ResourceAliases",
  "kms:SigningAlgorithm",
  "s3:prefix",
  "secretsmanager:SecretId",
  "secretsmanager:VersionStage",
];

const parts = (operator: string): { quantifier: string; base: string; ifExists: boolean } => {
  const [quantifier, rest] = operator.includes(":") ? operator.split(":", 2) : ["", operator];
  const ifExists = rest?.endsWith("IfExists") ?? false;
  return { quantifier: quantifier ?? "", base: ifExists ? (rest ?? "").slice(0, -8) : (rest ?? ""), ifExists };
};

export type Condition = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/** The unsupported part of a condition, or undefined. */
export const unsupportedIn = (condition: Condition): string | undefined => {
  for (const [operator, tests] of Object.entries(condition)) {
    const { quantifier, base } = parts(operator);
    if (!["", "ForAllValues", "ForAnyValue"].includes(quantifier)) return `the condition operator ${operator}`;
    if (base !== "Null" && operators[base] === undefined) return `the condition operator ${operator}`;
    const key = Object.keys(tests).find(
      (name) => !keys.some((known) => matchesWildcard(known.toLowerCase(), name.toLowerCase())),
    );
    if (key !== undefined) return `the condition key ${key}`;
  }
  return undefined;
};

/** Whether all tests of a condition hold for a request. Keys are case-insensitive, as in IAM. */
export const holds = (condition: Condition, context: ConditionContext): boolean => {
  const byKey = new Map(Object.entries(context).map(([key, value]) => [key.toLowerCase(), [value].flat()]));
  return Object.entries(condition).every(([operator, tests]) => {
    const { quantifier, base, ifExists } = parts(operator);
    return Object.entries(tests).every(([key, wanted]) => {
      const actual = byKey.get(key.toLowerCase());
      if (base === "Null") return wanted.includes(String(actual === undefined));
      const known = operators[base];
      if (known === undefined) return false;
      const matches = (value: string): boolean =>
        wanted.some((one) => known.test(one, value)) !== (known.negated ?? false);
      if (actual === undefined) return ifExists || quantifier === "ForAllValues" || (known.negated ?? false);
      return quantifier === "ForAnyValue" ? actual.some(matches) : actual.every(matches);
    });
  });
};
