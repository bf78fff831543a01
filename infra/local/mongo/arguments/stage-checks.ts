import { type ErrorCode, MongoFault } from "../foundation/fault.ts";
import { Doc } from "../values/document.ts";
import { typeName } from "../values/type-names.ts";
import type { Value } from "../values/types.ts";
import { checkFields, type Fields } from "./fields.ts";

/** Refuses what a stage may not be given, with the code that MongoDB has for it. */
export type StageCheck = (spec: Value, stage: string) => void;

type Test = (value: Value) => boolean;

/** One argument of a stage: what it has to be, or the code of the refusal. */
export interface Argument {
  readonly is: Test;
  readonly code: ErrorCode;
  readonly what: string;
}

export const argument = (is: Test, code: ErrorCode, what: string): Argument => ({ is, code, what });

const refused = ({ code, what }: Argument, at: string, value: Value): MongoFault =>
  new MongoFault(code, `${at} must be ${what}, but found type: ${typeName(value)}`);

/** The whole specification is one value. */
export const single =
  (...wanted: readonly Argument[]): StageCheck =>
  (spec, stage) => {
    for (const part of wanted) if (!part.is(spec)) throw refused(part, `the ${stage} stage specification`, spec);
  };

interface Options {
  /** The code where the specification is no object. */
  readonly object: ErrorCode;
  /** The code of an argument that the stage does not know. */
  readonly unknown: ErrorCode;
  readonly fields: Readonly<Record<string, readonly Argument[]>>;
  /** Arguments that must be there, with the code where they are not. */
  readonly needs: Readonly<Record<string, ErrorCode>>;
}

/** An object of arguments that the stage checks by codes of its own. */
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

/** An object of arguments that is checked like those of a command. */
export const described =
  (object: ErrorCode, fields: Fields): StageCheck =>
  (spec, stage) => {
    if (!(spec instanceof Doc))
      throw new MongoFault(object, `the ${stage} stage specification must be an object, but found ${typeName(spec)}`);
    checkFields(spec, fields, stage);
  };

/** The short form of a stage, or its object. */
export const orText =
  (long: StageCheck): StageCheck =>
  (spec, stage) => {
    if (typeof spec !== "string") long(spec, stage);
  };
