import { callIntrinsic, parseIntrinsic, pathsIn } from "./intrinsic-functions.ts";
import { type Data, parsePath, parseResultPath, place, read } from "./json-path.ts";
import { runtimeError, StateError } from "./state-error.ts";

const look = (path: string, data: Data): unknown => {
  const value = read(path, data);
  if (value !== undefined) return value;
  throw runtimeError(`The JSONPath ${path} could not be found in the input.`);
};

/** The value of InputPath, OutputPath or another path of a state; null gives an empty object. */
export const take = (path: string | null | undefined, data: Data): unknown => {
  if (path === null) return {};
  return path === undefined ? data.input : look(path, data);
};

/** Fills a payload template: the values of names that end with `.$` are paths or intrinsic functions. */
export const fill = (template: unknown, data: Data): unknown => {
  if (Array.isArray(template)) return template.map((one) => fill(one, data));
  if (typeof template !== "object" || template === null) return template;
  return Object.fromEntries(
    Object.entries(template).map(([name, value]) =>
      name.endsWith(".$") ? [name.slice(0, -2), filled(String(value), data)] : [name, fill(value, data)],
    ),
  );
};

const filled = (source: string, data: Data): unknown =>
  source.startsWith("$") ? look(source, data) : callIntrinsic(source, (path) => look(path, data));

/** The first problem of a payload template, or undefined. */
export const problemIn = (template: unknown): string | undefined => {
  if (typeof template !== "object" || template === null) return undefined;
  for (const [name, value] of Object.entries(template)) {
    const dynamic = name.endsWith(".$") && !Array.isArray(template);
    const problem = dynamic ? problemOf(() => checkValue(value)) : problemIn(value);
    if (problem !== undefined) return problem;
  }
  return undefined;
};

const checkValue = (source: unknown): void => {
  if (typeof source !== "string") throw new Error("the value of a name that ends with .$ is not a string");
  if (source.startsWith("$")) parsePath(source);
  else for (const path of pathsIn(parseIntrinsic(source))) parsePath(path);
};

/** The message of the error that a check raises, or undefined. */
export const problemOf = (check: () => unknown): string | undefined => {
  try {
    check();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

/** The raw input with the result at the ResultPath; null discards the result. */
export const combine = (raw: unknown, result: unknown, path: string | null | undefined): unknown => {
  if (path === null) return raw;
  const combined = place(raw, parseResultPath(path ?? "$"), result);
  if (combined !== undefined) return combined;
  throw new StateError(
    "States.ResultPathMatchFailure",
    `Unable to apply the ResultPath ${path}: the state's input has another value there.`,
  );
};
