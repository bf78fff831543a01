import { type ErrorCode, MongoFault } from "../foundation/fault.ts";
import { Doc } from "../values/document.ts";
import { typeName } from "../values/type-names.ts";
import type { Value } from "../values/types.ts";
import { checkFields, type Fields } from "./fields.ts";

/** Refuses a wrong specification of a stage with MongoDB's code. */
export type StageCheck = (spec: Value, stage: string) => void;

type Test = (value: Value) => boolean;

/** One check of a stage's argument: the test, the code of the refusal, and what is expected. */
export interface Argument {
  readonly is: Test;
  readonly code: ErrorCode;
  readonly what: string;
}

export const argument = (is: Test, code: ErrorCode, what: string): Argument => ({ is, code, what });

const refused = ({ code, what }: Argument, at: string, value: Value): MongoFault =>
  new MongoFault(code, `${at} must be ${what}, but found type: ${typeName(value)}`);

/** The specification is one value. */
export const single =
  (...wanted: readonly Argument[]): StageCheck =>
  (spec, stage) => {
    for (const part of wanted) if (!part.is(spec)) throw refused(part, `the ${stage} stage specification`, spec);
  };

interface Options {
  /** The code if the specification is not an object. */
  readonly object: ErrorCode;
  /** The code of an unknown argument. */
  readonly unknown: ErrorCode;
  readonly fields: Readonly<Record<string, readonly Argument[]>>;
  /** Required arguments, each with the code if it is missing. */
  readonly needs: Readonly<Record<string, ErrorCode>>;
}

/** An object of arguments, each checked with codes of its own. */
export const options =
  ({ object, unknown, fields, needs }: Options): StageCheck =>
  (spec, stage) => {
    if (!(spec instanceof Doc))
      throw new MongoFault(object, `the ${stage} stage specification must be an object, but found ${typeName(spec)}`);
    spec.keys.forEach((name, i) => {
      if (!Object.hasOwn(fields, name)) throw new MongoFault(unknown, `unrecognized option to ${stage}: ${name}`);
      const value = spec.values[i] as Value;
      for (const part of fields[name] ?? []) if (!part.is(value)) throw refused(part, `${stage} '${name}'`, value);
    });
    for (const name in needs)
      if (!spec.has(name))
        throw new MongoFault(needs[name] as ErrorCode, `${stage} requires '${name}' to be specified`);
  };

/** An object of arguments that are checked like those of a command. */
export const described =
  (object: ErrorCode, fields: Fields): StageCheck =>
  (spec, stage) => {
    if (!(spec instanceof Doc))
      throw new MongoFault(object, `the ${stage} stage specification must be an object, but found ${typeName(spec)}`);
    checkFields(spec, fields, stage);
  };

/** Text as the short form of a stage, or its object. */
export const orText =
  (long: StageCheck): StageCheck =>
  (spec, stage) => {
    if (typeof spec !== "string") long(spec, stage);
  };
