import { MongoFault } from "../foundation/fault.ts";
import type { Doc } from "../values/document.ts";
import { typeName } from "../values/type-names.ts";
import type { Value } from "../values/types.ts";

/** Refuses a wrong value of an argument. `at` is the path of the argument in errors ("find.filter"). */
export interface Check {
  (value: Value, at: string): void;
  /** The argument must be given. */
  readonly required?: true;
  /** null is checked like any value. Otherwise null means that the argument is not given. */
  readonly seesNull?: true;
}

/** The arguments of a command, a stage or a part of one. Unknown arguments are refused. */
export type Fields = Readonly<Record<string, Check>>;

export const required = (check: Check): Check =>
  Object.assign((value: Value, at: string) => check(value, at), {
    required: true as const,
    ...(check.seesNull === true ? { seesNull: true as const } : {}),
  });

export const wrongType = (value: Value, at: string, expected: string): MongoFault =>
  new MongoFault("TypeMismatch", `BSON field '${at}' is the wrong type '${typeName(value)}', expected ${expected}`);

/**
 * Refuses unknown arguments, since ignoring one could change the meaning. `others` are further arguments that any
 * command may have.
 */
export function checkFields(doc: Doc, fields: Fields, at: string, others?: Fields): void {
  const { keys, values } = doc;
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string;
    const known = own(fields, key) ?? (others === undefined ? undefined : own(others, key));
    if (known === undefined) throw new MongoFault("IDLUnknownField", `BSON field '${at}.${key}' is an unknown field.`);
    if (keys.indexOf(key) < i)
      throw new MongoFault("IDLDuplicateField", `BSON field '${at}.${key}' is a duplicate field`);
    const value = values[i] as Value;
    if (value !== null || known.seesNull === true) known(value, `${at}.${key}`);
  }
  checkPresent(doc, fields, at);
}

function checkPresent(doc: Doc, fields: Fields, at: string): void {
  for (const key in fields) {
    const { required: isRequired, seesNull } = fields[key] as Check;
    if (isRequired !== true) continue;
    const value = doc.get(key);
    if (value === undefined || (value === null && seesNull !== true))
      throw new MongoFault("IDLFailedToParse", `BSON field '${at}.${key}' is missing but a required field`);
  }
}

const own = (fields: Fields, key: string): Check | undefined => (Object.hasOwn(fields, key) ? fields[key] : undefined);
