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
  readonly api_name: string;
  readonly system?: boolean | undefined;
  readonly format?: string | undefined;
  readonly schema?: string | undefined;
}

/** For `shared_with`: the objects whose names are shown in shares. */
interface SharesMask {
  readonly shares: ReadonlySet<string> | AllBut;
}

type ReferenceMask = "every" | ReadonlySet<string> | AllBut;

/**
 * The names in a field's references that a caller does not see: `every`, or those of other objects than the named ones.
 */
export type NameMask = ReferenceMask | SharesMask;

/** Whether the mask is for `shared_with`, whose items are `{user or role, access}`. */
export const masksShares = (mask: NameMask): mask is SharesMask => mask !== "every" && "shares" in mask;

const shareHolders = ["user", "role"] as const;

/** Null if the caller sees all names of the field's references. */
export const nameMaskOf = (field: ReferenceField, named: NamedObjects): NameMask | null => {
  const { format, schema } = field;
  if (named === "all") return null;
  if (field.api_name === "shared_with" && field.system === true) {
    return shareHolders.every((holder) => isNamed(named, holder)) ? null : { shares: named };
  }
  if (format === "compound_lookup") return named;
  if (format !== "lookup" && format !== "lookup_list") return null;
  if (schema === undefined) return named;
  return isNamed(named, schema) ? null : "every";
};

/** A stored value without the names that the caller does not see. The key `name` is absent there, not null. */
export const withoutNames = (value: unknown, mask: NameMask): unknown => {
  if (Array.isArray(value)) return value.map((item) => withoutNames(item, mask));
  if (!isObject(value)) return value;
  if (masksShares(mask)) {
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withoutNames(part, mask.shares)]));
  }
  if (mask !== "every" && typeof value.schema === "string" && isNamed(mask, value.schema)) return value;
  return { id: value.id, schema: value.schema };
};

/** Whether the mask shows the name of a reference. Names of objects are data and may begin with a dollar sign. */
const showsName = (value: string, mask: ReferenceMask): Document[] => {
  if (mask === "every") return [];
  if (!("allBut" in mask)) return [{ $in: [`${value}.schema`, { $literal: [...mask] }] }];
  return [{ $not: [{ $in: [{ $ifNull: [`${value}.schema`, null] }, { $literal: [null, ...mask.allBut] }] }] }];
};

const referenceWithoutName = (value: string, mask: ReferenceMask): Document => {
  const isAbsent = { $eq: [{ $ifNull: [value, null] }, null] };
  const shows = showsName(value, mask);
  return { $cond: [{ $or: [isAbsent, ...shows] }, value, { id: `${value}.id`, schema: `${value}.schema` }] };
};

const shareWithoutNames = (value: string, { shares }: SharesMask): Document => ({
  ...Object.fromEntries(shareHolders.map((holder) => [holder, referenceWithoutName(`${value}.${holder}`, shares)])),
  access: `${value}.access`,
});

/** The same as a MongoDB expression. `value` is the path of a field or of a variable, with `$` or `$$`. */
export const expressionWithoutNames = (value: string, mask: NameMask): Document => {
  const ofShares = masksShares(mask);
  const item = ofShares ? shareWithoutNames("$$reference", mask) : referenceWithoutName("$$reference", mask);
  return {
    $cond: [
      { $isArray: [value] },
      { $map: { input: value, as: "reference", in: item } },
      ofShares ? null : referenceWithoutName(value, mask),
    ],
  };
};

/** The same as the value of the field in an inclusive `$project`. */
export const projectionWithoutNames = (field: string, mask: NameMask): Document =>
  mask === "every" ? { id: 1, schema: 1 } : expressionWithoutNames(`$${field}`, mask);
