import { Failure } from "../failure.ts";
import { isObject, type Json, parseJson } from "../json.ts";
import { readSource } from "./input.ts";

export interface InputOptions {
  readonly inputs?: string;
  readonly set?: readonly string[];
}

/** A value as JSON, else as text. */
const inputOf = (text: string): unknown => parseJson(text) ?? (text === "null" ? null : text);

/** The inputs of an execution, from `--inputs` (JSON or @file) and `--set name=value`. @throws Failure */
export const readInputs = async ({ inputs, set = [] }: InputOptions): Promise<Json> => {
  const text = inputs?.startsWith("@") ? (await readSource(undefined, inputs.slice(1)))?.text : inputs;
  const given = text === undefined ? {} : parseJson(text);
  if (!isObject(given)) throw new Failure("usage", `--inputs is no JSON object, such as '{"limit": 5}'.`);
  const pairs = set.map((pair) => {
    const at = pair.indexOf("=");
    if (at < 1) throw new Failure("usage", `--set ${pair} is no name=value.`);
    return [pair.slice(0, at), inputOf(pair.slice(at + 1))] as const;
  });
  return { ...given, ...Object.fromEntries(pairs) };
};
