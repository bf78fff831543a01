import type { Document } from "mongodb";

/** The objects of whose records a caller sees the name in a reference. */
export type NamedObjects = "all" | ReadonlySet<string>;

/** A field as far as it says what it points to. */
interface PointingField {
  readonly format?: string | undefined;
  readonly schema?: string | undefined;
}

/** What one caller does not see of a field's references: the name of every one, or of those to other objects than these. */
export type NameMask = "every" | ReadonlySet<string>;

/** Null where the caller sees the field's references as they are stored. */
export const nameMaskOf = ({ format, schema }: PointingField, named: NamedObjects): NameMask | null => {
  if (named === "all") return null;
  if (format === "compound_lookup") return named;
  if (format !== "lookup" && format !== "lookup_list") return null;
  if (schema === undefined) return named;
  return named.has(schema) ? null : "every";
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A stored value without the names that the caller does not see; the name is absent there, not null. */
export const withoutNames = (value: unknown, mask: NameMask): unknown => {
  if (Array.isArray(value)) return value.map((item) => withoutNames(item, mask));
  if (!isObject(value)) return value;
  if (mask !== "every" && typeof value.schema === "string" && mask.has(value.schema)) return value;
  return { id: value.id, schema: value.schema };
};

const oneWithoutName = (value: string, mask: NameMask): Document => {
  const isAbsent = { $eq: [{ $ifNull: [value, null] }, null] };
  // Names of objects are data: one may begin with a dollar sign.
  const shows = mask === "every" ? [] : [{ $in: [`${value}.schema`, { $literal: [...mask] }] }];
  return { $cond: [{ $or: [isAbsent, ...shows] }, value, { id: `${value}.id`, schema: `${value}.schema` }] };
};

/** The same as an expression of the database. `value` is the path of a field, or of a part of a variable, with its `$`. */
export const expressionWithoutNames = (value: string, mask: NameMask): Document => ({
  $cond: [
    { $isArray: [value] },
    { $map: { input: value, as: "reference", in: oneWithoutName("$$reference", mask) } },
    oneWithoutName(value, mask),
  ],
});

/** The same for a field as the value of its name in an inclusive `$project`. */
export const projectionWithoutNames = (field: string, mask: NameMask): Document =>
  mask === "every" ? { id: 1, schema: 1 } : expressionWithoutNames(`$${field}`, mask);
