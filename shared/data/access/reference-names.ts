import type { Document } from "mongodb";
import { isObject } from "#shared/foundation/is-object";

/** All objects but these. */
interface AllBut {
  readonly allBut: ReadonlySet<string>;
}

/** The objects whose records' names a caller sees in references. */
export type NamedObjects = "all" | ReadonlySet<string> | AllBut;

/** `objects` without the ones whose names are masked. */
export const namedBut = (objects: "all" | readonly string[], masked: readonly string[]): NamedObjects => {
  if (objects === "all") return masked.length === 0 ? "all" : { allBut: new Set(masked) };
  return new Set(objects.filter((name) => !masked.includes(name)));
};

const isNamed = (named: ReadonlySet<string> | AllBut, object: string): boolean =>
  "allBut" in named ? !named.allBut.has(object) : named.has(object);

/** Whether the caller sees the names of the object's records in references. */
export const seesNamesOf = ({ named }: { readonly named: NamedObjects }, object: string): boolean =>
  named === "all" || isNamed(named, object);

/** The part of a field that says what it references. */
interface ReferenceField {
  readonly format?: string | undefined;
  readonly schema?: string | undefined;
}

/**
 * The names in a field's references that a caller does not see: `every`, or those of other objects than the named ones.
 */
export type NameMask = "every" | ReadonlySet<string> | AllBut;

/** Null if the caller sees all names of the field's references. */
export const nameMaskOf = ({ format, schema }: ReferenceField, named: NamedObjects): NameMask | null => {
  if (named === "all") return null;
  if (format === "compound_lookup") return named;
  if (format !== "lookup" && format !== "lookup_list") return null;
  if (schema === undefined) return named;
  return isNamed(named, schema) ? null : "every";
};

/** A stored value without the names that the caller does not see. The key `name` is absent there, not null. */
export const withoutNames = (value: unknown, mask: NameMask): unknown => {
  if (Array.isArray(value)) return value.map((item) => withoutNames(item, mask));
  if (!isObject(value)) return value;
  if (mask !== "every" && typeof value.schema === "string" && isNamed(mask, value.schema)) return value;
  return { id: value.id, schema: value.schema };
};

/** Whether the mask shows the name of a reference. Names of objects are data and may begin with a dollar sign. */
const showsName = (value: string, mask: NameMask): Document[] => {
  if (mask === "every") return [];
  if (!("allBut" in mask)) return [{ $in: [`${value}.schema`, { $literal: [...mask] }] }];
  return [{ $not: [{ $in: [{ $ifNull: [`${value}.schema`, null] }, { $literal: [null, ...mask.allBut] }] }] }];
};

const referenceWithoutName = (value: string, mask: NameMask): Document => {
  const isAbsent = { $eq: [{ $ifNull: [value, null] }, null] };
  const shows = showsName(value, mask);
  return { $cond: [{ $or: [isAbsent, ...shows] }, value, { id: `${value}.id`, schema: `${value}.schema` }] };
};

/** The same as a MongoDB expression. `value` is the path of a field or of a variable, with `$` or `$$`. */
export const expressionWithoutNames = (value: string, mask: NameMask): Document => ({
  $cond: [
    { $isArray: [value] },
    { $map: { input: value, as: "reference", in: referenceWithoutName("$$reference", mask) } },
    referenceWithoutName(value, mask),
  ],
});

/** The same as the value of the field in an inclusive `$project`. */
export const projectionWithoutNames = (field: string, mask: NameMask): Document =>
  mask === "every" ? { id: 1, schema: 1 } : expressionWithoutNames(`$${field}`, mask);
