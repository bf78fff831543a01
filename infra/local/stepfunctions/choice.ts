import * as z from "zod";
import { problemOf } from "./data-flow.ts";
import { type Data, parsePath, read } from "./json-path.ts";
import { runtimeError } from "./state-error.ts";

type Test = (value: unknown, wanted: unknown) => boolean;

const isTimestamp = (value: unknown): value is string =>
  typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value);

const strings =
  (test: (value: string, wanted: string) => boolean): Test =>
  (value, wanted) =>
    typeof value === "string" && typeof wanted === "string" && test(value, wanted);
const numbers =
  (test: (value: number, wanted: number) => boolean): Test =>
  (value, wanted) =>
    typeof value === "number" && typeof wanted === "number" && test(value, wanted);
const timestamps =
  (test: (value: number, wanted: number) => boolean): Test =>
  (value, wanted) =>
    isTimestamp(value) && isTimestamp(wanted) && test(Date.parse(value), Date.parse(wanted));

/** `*` matches any text, `\*` a star. */
const matches = (value: string, pattern: string): boolean =>
  new RegExp(
    `^${pattern.replaceAll(
      /\\([\s\S])|\*|([\s\S])/g,
      (whole, escaped: string | undefined, plain: string | undefined) =>
        whole === "*" ? "[^]*" : RegExp.escape(escaped ?? plain ?? ""),
    )}$`,
  ).test(value);

/** The operators that have a form with a path as well. */
const comparisons: Readonly<Record<string, Test>> = {
  BooleanEquals: (value, wanted) => typeof value === "boolean" && value === wanted,
  NumericEquals: numbers((value, wanted) => value === wanted),
  NumericGreaterThan: numbers((value, wanted) => value > wanted),
  NumericGreaterThanEquals: numbers((value, wanted) => value >= wanted),
  NumericLessThan: numbers((value, wanted) => value < wanted),
  NumericLessThanEquals: numbers((value, wanted) => value <= wanted),
  StringEquals: strings((value, wanted) => value === wanted),
  StringGreaterThan: strings((value, wanted) => value > wanted),
  StringGreaterThanEquals: strings((value, wanted) => value >= wanted),
  StringLessThan: strings((value, wanted) => value < wanted),
  StringLessThanEquals: strings((value, wanted) => value <= wanted),
  TimestampEquals: timestamps((value, wanted) => value === wanted),
  TimestampGreaterThan: timestamps((value, wanted) => value > wanted),
  TimestampGreaterThanEquals: timestamps((value, wanted) => value >= wanted),
  TimestampLessThan: timestamps((value, wanted) => value < wanted),
  TimestampLessThanEquals: timestamps((value, wanted) => value <= wanted),
};

const kinds: Readonly<Record<string, (value: unknown) => boolean>> = {
  IsNull: (value) => value === null,
  IsBoolean: (value) => typeof value === "boolean",
  IsNumeric: (value) => typeof value === "number",
  IsString: (value) => typeof value === "string",
  IsTimestamp: isTimestamp,
};

export interface ChoiceRule {
  readonly And?: readonly ChoiceRule[] | undefined;
  readonly Or?: readonly ChoiceRule[] | undefined;
  readonly Not?: ChoiceRule | undefined;
  readonly Variable?: string | undefined;
  readonly Comment?: string | undefined;
  readonly [operator: string]: unknown;
}

const operators = [
  ...Object.keys(comparisons).flatMap((name) => [name, `${name}Path`]),
  ...Object.keys(kinds),
  "IsPresent",
  "StringMatches",
];

const parts = {
  Variable: z.string().optional(),
  Comment: z.string().optional(),
  get And() {
    return z.array(rule).min(1).optional();
  },
  get Or() {
    return z.array(rule).min(1).optional();
  },
  get Not() {
    return rule.optional();
  },
  ...Object.fromEntries(operators.map((name) => [name, z.union([z.string(), z.number(), z.boolean()]).optional()])),
};

const check = ({ value, issues }: { value: ChoiceRule; issues: z.core.$ZodRawIssue[] }): void => {
  const used = Object.keys(value).filter((name) => name !== "Variable" && name !== "Comment" && name !== "Next");
  const [name = ""] = used;
  const compares = operators.includes(name);
  const problem =
    used.length !== 1 || compares !== (value.Variable !== undefined)
      ? "a rule has a Variable and one comparison, or one of And, Or and Not"
      : compares
        ? problemOf(() => [value.Variable, ...(name.endsWith("Path") ? [value[name]] : [])].map(String).map(parsePath))
        : undefined;
  if (problem !== undefined) issues.push({ code: "custom", message: problem, input: value });
};

const rule: z.ZodType<ChoiceRule> = z.lazy(() => z.strictObject(parts).check(check));

export const choiceRule: z.ZodType<ChoiceRule & { readonly Next: string }> = z.lazy(() =>
  z.strictObject({ ...parts, Next: z.string() }).check(check),
);

/** Whether a rule holds. @throws StateError if its variable does not exist */
export const holds = (one: ChoiceRule, data: Data): boolean => {
  if (one.And !== undefined) return one.And.every((inner) => holds(inner, data));
  if (one.Or !== undefined) return one.Or.some((inner) => holds(inner, data));
  if (one.Not !== undefined) return !holds(one.Not, data);
  const [operator = ""] = Object.keys(one).filter((name) => operators.includes(name));
  const wanted = one[operator];
  const value = read(one.Variable ?? "$", data);
  if (operator === "IsPresent") return (value !== undefined) === wanted;
  if (value === undefined) throw missing(one.Variable);
  const isKind = kinds[operator];
  if (isKind !== undefined) return isKind(value) === wanted;
  if (operator === "StringMatches") return strings(matches)(value, wanted);
  if (!operator.endsWith("Path")) return comparisons[operator]?.(value, wanted) ?? false;
  const other = read(String(wanted), data);
  if (other === undefined) throw missing(String(wanted));
  return comparisons[operator.slice(0, -"Path".length)]?.(value, other) ?? false;
};

const missing = (path: string | undefined) =>
  runtimeError(`Invalid path '${path}': The choice state's condition path references an invalid value.`);
