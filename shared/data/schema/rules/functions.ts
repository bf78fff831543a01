import type { ASTNode, Environment } from "@marcbachmann/cel-js";
import { RE2JS } from "re2js";
import { charge } from "./budget.ts";
import { TIMESTAMP } from "./field-types.ts";
import { dayOf, RecordValue } from "./values.ts";

/** Functions that a condition may call, with the number of their arguments. */
export const globalFunctions: Readonly<Record<string, readonly number[]>> = {
  has: [1],
  size: [1],
  string: [1],
  int: [1],
  double: [1],
  bool: [1],
  timestamp: [1],
  duration: [1],
  date: [1],
};

/** Comprehensions: the first argument is a variable, the others are evaluated for each element. */
export const comprehensions: Readonly<Record<string, readonly number[]>> = {
  all: [2],
  exists: [2],
  exists_one: [2],
  map: [2, 3],
  filter: [2],
};

/** Methods of timestamps. The argument is a time zone. */
export const calendarMethods: Readonly<Record<string, readonly number[]>> = {
  getFullYear: [0, 1],
  getMonth: [0, 1],
  getDate: [0, 1],
  getDayOfMonth: [0, 1],
  getDayOfWeek: [0, 1],
  getDayOfYear: [0, 1],
  getHours: [0, 1],
  getMinutes: [0, 1],
  getSeconds: [0, 1],
  getMilliseconds: [0, 1],
};

export const methods: Readonly<Record<string, readonly number[]>> = {
  ...comprehensions,
  ...calendarMethods,
  size: [0],
  startsWith: [1],
  endsWith: [1],
  contains: [1],
  matches: [1],
  indexOf: [1, 2],
  lastIndexOf: [1, 2],
  substring: [1, 2],
  lowerAscii: [0],
  upperAscii: [0],
  trim: [0],
};

/**
 * Methods of the library that take longer than linear time or much memory, and whose names cannot be registered again.
 * Conditions are compiled with the names on the right, which have the same length, so that positions in errors stay
 * true.
 */
export const replacedMethods: Readonly<Record<string, string>> = {
  contains: "_ontains",
  indexOf: "_ndexOf",
  lastIndexOf: "_astIndexOf",
  lowerAscii: "_owerAscii",
  matches: "_atches",
  upperAscii: "_pperAscii",
};

/** The function that `x == null` is compiled to, see `null-tests.ts`. */
export const IS_NULL = "nil";

/** What a search takes of the budget: V8 may compare each character of the text with each one of the part. */
const chargeSearch = (text: string, part: string): void => charge(text.length + (text.length * part.length) / 64);

const searched =
  <T>(find: (text: string, part: string, from?: bigint) => T) =>
  (text: string, part: string, from?: bigint): T => {
    chargeSearch(text, part);
    return find(text, part, from);
  };

/** A text as long as the given one has to be paid for. */
const lowerAscii = (text: string): string => {
  charge(text.length);
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
};

const upperAscii = (text: string): string => {
  charge(text.length);
  return text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
};

const offsetIn = (text: string, from: bigint | undefined, otherwise: number): number => {
  const offset = from === undefined ? otherwise : Number(from);
  if (offset < 0 || offset > text.length) throw new RangeError("The offset is outside of the text.");
  return offset;
};

interface Pattern {
  readonly expression: RE2JS;
  readonly size: number;
}

/** Instructions × characters that cost as much as one unit of the budget. */
const STEPS_A_UNIT = 16;

const matches = (text: string, pattern: string): boolean => {
  const { expression, size } = patternOf(pattern);
  charge(text.length + (text.length * size) / STEPS_A_UNIT);
  return expression.test(text);
};

const MOST_PATTERNS = 500;
const patterns = new Map<string, Pattern>();

/**
 * A compiled expression in RE2's syntax, which matches in linear time. Raises an error for what is no such expression.
 */
export const patternOf = (pattern: string): Pattern => {
  const known = patterns.get(pattern);
  if (known !== undefined) return known;
  const expression = RE2JS.compile(pattern);
  const compiled = { expression, size: expression.programSize() };
  if (patterns.size >= MOST_PATTERNS) patterns.clear();
  patterns.set(pattern, compiled);
  return compiled;
};

interface NullTest {
  readonly operand: ASTNode;
}

interface Checker {
  check(node: ASTNode, context: unknown): unknown;
  getType(name: string): unknown;
}

interface Evaluator {
  run(node: ASTNode, context: unknown): unknown;
}

const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined);

/** The error of the library for an absent field, and for a field of an absent one. */
export const isAbsence = (error: unknown): boolean => codeOf(error) === "no_such_key";

/** In automations, also a variable without a value, and an element behind the end of a list. */
export const isAbsenceInScope = (error: unknown): boolean =>
  isAbsence(error) || ["unknown_variable", "index_out_of_bounds"].includes(String(codeOf(error)));

const nullTest =
  (isAbsent: (error: unknown) => boolean) =>
  ({ args }: { readonly args: readonly [ASTNode] }) => ({
    operand: args[0],
    async: false,
    typeCheck(checker: Checker, { operand }: NullTest, context: unknown) {
      checker.check(operand, context);
      return checker.getType("bool");
    },
    evaluate(evaluator: Evaluator, { operand }: NullTest, context: unknown): boolean {
      try {
        const value = evaluator.run(operand, context);
        return value === null || (value instanceof RecordValue && value.stored === null);
      } catch (error) {
        if (isAbsent(error)) return true;
        throw error;
      }
    },
  });

/** Standard CEL has none of these: a condition compares numbers of records, which are doubles, with integers. */
const mixedArithmetic = {
  "+": (left: number | bigint, right: number | bigint) => Number(left) + Number(right),
  "-": (left: number | bigint, right: number | bigint) => Number(left) - Number(right),
  "*": (left: number | bigint, right: number | bigint) => Number(left) * Number(right),
  "/": (left: number | bigint, right: number | bigint) => Number(left) / Number(right),
};

const registerMixedNumbers = (environment: Environment): void => {
  for (const [operator, compute] of Object.entries(mixedArithmetic)) {
    environment.registerOperator(`int ${operator} double`, compute);
    environment.registerOperator(`double ${operator} int`, compute);
  }
  // The library registers the other direction, and `!=`, with it.
  environment.registerOperator("double == int", (left: number, right: bigint) => left === Number(right));
  environment.registerOperator("double in list<int>", (value: number, list: readonly bigint[]) =>
    list.some((item) => Number(item) === value),
  );
};

const startOfDay = (moment: Date): Date => new Date(Math.floor(moment.getTime() / 86_400_000) * 86_400_000);

const dayOfText = (text: string): Date => {
  const day = dayOf(text);
  if (typeof day === "string") throw new RangeError("Expected a date as YYYY-MM-DD.");
  return day;
};

/**
 * Adds what conditions have beyond the library, and the replaced methods. `isAbsent`: the errors of an operand that is
 * null in a comparison with null.
 */
export const registerFunctions = (environment: Environment, isAbsent: (error: unknown) => boolean): void => {
  registerMixedNumbers(environment);
  environment
    .registerFunction(`${IS_NULL}(ast): bool`, nullTest(isAbsent))
    .registerFunction(`date(string): ${TIMESTAMP}`, dayOfText)
    .registerFunction(`date(${TIMESTAMP}): ${TIMESTAMP}`, startOfDay)
    .registerFunction("string._atches(string): bool", matches)
    .registerFunction("string._owerAscii(): string", lowerAscii)
    .registerFunction("string._pperAscii(): string", upperAscii)
    .registerFunction(
      "string._ontains(string): bool",
      searched((text, part) => text.includes(part)),
    );
  const first = searched((text, part, from) => BigInt(text.indexOf(part, offsetIn(text, from, 0))));
  const last = searched((text, part, from) => BigInt(text.lastIndexOf(part, offsetIn(text, from, text.length))));
  for (const parameters of ["string", "string, int"]) {
    environment.registerFunction(`string._ndexOf(${parameters}): int`, first);
    environment.registerFunction(`string._astIndexOf(${parameters}): int`, last);
  }
};
