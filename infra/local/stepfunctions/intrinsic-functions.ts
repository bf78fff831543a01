import { createHash, randomInt, randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { StateError } from "./state-error.ts";

const list = z.array(z.unknown());
const text = z.string();
const integer = z.number().transform((value) => Math.round(value));
const object = z.record(z.string(), z.unknown());

type Implementation = (given: unknown[]) => unknown;

const define =
  <S extends z.ZodType<unknown[]>>(given: S, run: (...values: z.output<S>) => unknown): Implementation =>
  (values) =>
    run(...given.parse(values));

const format = (template: string, ...values: unknown[]): string => {
  let next = 0;
  const filled = template.replaceAll(/\\(.)|\{\}/g, (whole, escaped: string | undefined) => {
    if (whole !== "{}") return escaped ?? "";
    if (next >= values.length) throw new Error("there are fewer values than {}");
    const value = values[next++];
    return typeof value === "string" ? value : JSON.stringify(value);
  });
  if (next !== values.length) throw new Error("there are more values than {}");
  return filled;
};

const range = (first: number, last: number, step: number): number[] => {
  const length = Math.floor((last - first) / step) + 1;
  if (step === 0 || length > 1000) throw new Error("a range has at most 1000 elements, and its step is not 0");
  return Array.from({ length: Math.max(length, 0) }, (_, index) => first + index * step);
};

const partition = (values: unknown[], size: number): unknown[][] => {
  if (size <= 0) throw new Error("the size of a part is positive");
  return Array.from({ length: Math.ceil(values.length / size) }, (_, index) =>
    values.slice(index * size, (index + 1) * size),
  );
};

const at = (values: unknown[], index: number): unknown => {
  if (index < 0 || index >= values.length) throw new Error(`there is no element ${index}`);
  return values[index];
};

const unique = (values: unknown[]): unknown[] =>
  values.filter((value, index) => values.findIndex((other) => isDeepStrictEqual(value, other)) === index);

const digest = (data: string, algorithm: string): string =>
  createHash(algorithm.replace("-", "").toLowerCase()).update(data).digest("hex");

const algorithm = z.enum(["MD5", "SHA-1", "SHA-256", "SHA-384", "SHA-512"]);
const split = (value: string, separators: string): string[] => {
  const parts: string[] = [""];
  for (const letter of value) {
    if (separators.includes(letter)) parts.push("");
    else parts.push(`${parts.pop() ?? ""}${letter}`);
  }
  return parts.filter((part) => part !== "");
};

/** https://docs.aws.amazon.com/step-functions/latest/dg/intrinsic-functions.html */
const functions: Readonly<Record<string, Implementation>> = {
  "States.Format": define(z.tuple([text], z.unknown()), format),
  "States.StringToJson": define(z.tuple([text]), (value) => JSON.parse(value)),
  "States.JsonToString": define(z.tuple([z.unknown()]), (value) => JSON.stringify(value)),
  "States.Array": (values) => values,
  "States.ArrayPartition": define(z.tuple([list, integer]), partition),
  "States.ArrayContains": define(z.tuple([list, z.unknown()]), (values, value) =>
    values.some((one) => isDeepStrictEqual(one, value)),
  ),
  "States.ArrayRange": define(z.tuple([integer, integer, integer]), range),
  "States.ArrayGetItem": define(z.tuple([list, integer]), at),
  "States.ArrayLength": define(z.tuple([list]), (values) => values.length),
  "States.ArrayUnique": define(z.tuple([list]), unique),
  "States.Base64Encode": define(z.tuple([text]), (value) => Buffer.from(value).toString("base64")),
  "States.Base64Decode": define(z.tuple([text]), (value) => Buffer.from(value, "base64").toString("utf8")),
  "States.Hash": define(z.tuple([z.unknown(), algorithm]), (value, name) =>
    digest(typeof value === "string" ? value : JSON.stringify(value), name),
  ),
  "States.JsonMerge": define(z.tuple([object, object, z.literal(false)]), (one, other) => ({ ...one, ...other })),
  "States.MathRandom": define(z.tuple([integer, integer]), (from, to) => randomInt(from, to)),
  "States.MathAdd": define(z.tuple([integer, integer]), (one, other) => one + other),
  "States.StringSplit": define(z.tuple([text, text]), split),
  "States.UUID": define(z.tuple([]), () => randomUUID()),
};

type Expression =
  | { readonly kind: "literal"; readonly value: unknown }
  | { readonly kind: "path"; readonly path: string }
  | { readonly kind: "call"; readonly name: string; readonly given: readonly Expression[] };

const token =
  /\s*(?:(States\.\w+)\s*\(|('(?:[^'\\]|\\.)*')|(-?\d+(?:\.\d+)?|true|false|null)|(\$(?:\[[^\]]*\]|[^\s,()[\]])*)|([,)]))/y;

/** Reads a call of an intrinsic function. @throws Error for unknown functions and what is not understood */
export const parseIntrinsic = (source: string): Expression => {
  let position = 0;
  const next = (): RegExpExecArray => {
    token.lastIndex = position;
    const found = token.exec(source);
    if (found === null) throw new Error(`the intrinsic function ${source} is not understood`);
    position = token.lastIndex;
    return found;
  };
  const expression = ([, name, quoted, literal, path, mark]: RegExpExecArray): Expression => {
    if (name !== undefined) {
      if (functions[name] === undefined) throw new Error(`the intrinsic function ${name} is not supported`);
      return { kind: "call", name, given: listOf() };
    }
    if (quoted !== undefined) return { kind: "literal", value: quoted.slice(1, -1).replaceAll("\\'", "'") };
    if (literal !== undefined) return { kind: "literal", value: JSON.parse(literal) };
    if (path !== undefined) return { kind: "path", path };
    throw new Error(`the intrinsic function ${source} has an unexpected ${mark}`);
  };
  const listOf = (): Expression[] => {
    const given: Expression[] = [];
    for (let found = next(); ; found = next()) {
      if (found[5] === ")" && given.length === 0) return given;
      given.push(expression(found));
      const mark = next()[5];
      if (mark === ")") return given;
      if (mark !== ",") throw new Error(`the intrinsic function ${source} lacks a comma`);
    }
  };
  const result = expression(next());
  if (source.slice(position).trim() !== "") throw new Error(`${source} goes on after its end`);
  return result;
};

/** The paths of an expression. */
export const pathsIn = (expression: Expression): string[] => {
  if (expression.kind === "path") return [expression.path];
  return expression.kind === "call" ? expression.given.flatMap(pathsIn) : [];
};

/** The value of a call. @throws StateError States.IntrinsicFailure */
export const callIntrinsic = (source: string, look: (path: string) => unknown): unknown => {
  const evaluate = (expression: Expression): unknown => {
    if (expression.kind === "literal") return expression.value;
    if (expression.kind === "path") return look(expression.path);
    return functions[expression.name]?.(expression.given.map(evaluate));
  };
  try {
    return evaluate(parseIntrinsic(source));
  } catch (error) {
    if (error instanceof StateError) throw error;
    const reason = error instanceof z.ZodError ? "an argument has the wrong type" : String(error);
    throw new StateError("States.IntrinsicFailure", `${source}: ${reason}`);
  }
};
