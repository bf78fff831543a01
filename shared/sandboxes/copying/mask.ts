import type { Document } from "mongodb";
import { secretNamePattern } from "#shared/foundation/secret-names";

/** Stands for a value that is not copied, because its name says that it is secret. */
export const SECRET_MASK = "********";

/** Levels of JSON that a record may have (shared/data/schema/values/json.ts). */
const DEEPEST = 20;

const isSecret = (name: string): Document => ({
  $regexMatch: { input: name, regex: secretNamePattern.source, options: secretNamePattern.flags },
});

const isOfType = (value: string, ...types: string[]): Document => ({ $in: [{ $type: value }, types] });

/** Booleans say whether something is used, and are no secrets. */
const maskOf = (value: string): Document => ({
  $cond: [isOfType(value, "missing", "undefined", "null", "bool"), value, SECRET_MASK],
});

const isArray = (value: string): Document => ({ $isArray: [value] });

const isObjectOrList = (value: string): Document => isOfType(value, "object", "array");

/** Elements of a list, with an empty name, or members of an object. */
const membersOf = (value: string): Document => ({
  $cond: [isArray(value), { $map: { input: value, as: "one", in: { k: "", v: "$$one" } } }, { $objectToArray: value }],
});

/**
 * An object or a list in which the values of secret names are masked. The expression nests eight levels for each level
 * of JSON, because MongoDB limits the depth of a command. It names itself once in each level, so that its size grows
 * with the depth and not with its power.
 */
const masked = (value: string, levels: number): Document | string => {
  // Deeper values cannot have been stored.
  if (levels === 0) return SECRET_MASK;
  const [member, members] = [`m${levels}`, `a${levels}`];
  const [name, inner] = [`$$${member}.k`, `$$${member}.v`];
  const one = {
    $switch: {
      branches: [
        { case: isSecret(name), then: maskOf(inner) },
        { case: { $not: isObjectOrList(inner) }, then: inner },
      ],
      default: masked(inner, levels - 1),
    },
  };
  return {
    $let: {
      vars: { [members]: { $map: { input: membersOf(value), as: member, in: { k: name, v: one } } } },
      in: { $cond: [isArray(value), `$$${members}.v`, { $arrayToObject: `$$${members}` }] },
    },
  };
};

/** A JSON value in which the values of secret names are masked, at any depth. `value` is the path of a field, with `$`. */
export const maskedJson = (value: string): Document => ({
  $cond: [isObjectOrList(value), masked(value, DEEPEST), value],
});

/** A value whose own name is secret, or the name that a record gives it. */
export const maskedIf = (condition: Document, value: string, otherwise: Document): Document => ({
  $cond: [condition, maskOf(value), otherwise],
});

/** Whether any of these fields holds a secret name. */
export const namesSecret = (...paths: string[]): Document => ({
  $or: paths.map((path) => ({ $and: [isOfType(path, "string"), isSecret(path)] })),
});
