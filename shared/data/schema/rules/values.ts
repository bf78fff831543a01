import type { Field, ObjectSchema } from "../object-schema.ts";
import { charge } from "./budget.ts";
import { fieldTypeOf, OPAQUE, REFERENCE, TIMESTAMP } from "./field-types.ts";

/** A value of which conditions see only that it is there. */
export class OpaqueValue {
  readonly kind = "opaque";
}

const opaqueValue = new OpaqueValue();

/** `{id, schema, name}`. The library reads fields of a `Map` by `get`. */
export class ReferenceValue extends Map<string, unknown> {}

const referenceOf = (stored: unknown): unknown => {
  if (typeof stored !== "object" || stored === null) return stored;
  const parts = Object.entries(stored).filter(([, value]) => typeof value === "string");
  return new ReferenceValue(parts);
};

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** A date is midnight in UTC. What is no date stays as it is, and the library reports its type. */
export const dayOf = (text: string): Date | string => {
  const moment = DAY.test(text) ? new Date(`${text}T00:00:00.000Z`) : null;
  // V8 takes February 30 as March 2.
  const isDay = moment !== null && !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(text);
  return isDay ? moment : text;
};

export interface Converted {
  readonly value: unknown;
  /** What one access costs. */
  readonly units: number;
  /** Over which a comprehension could run. */
  readonly elements: number;
}

const scalar = (value: unknown, units = 1): Converted => ({ value, units, elements: 0 });

const sumOf = (parts: readonly Converted[]): Pick<Converted, "units" | "elements"> => ({
  units: parts.reduce((sum, { units }) => sum + units, 1),
  elements: parts.reduce((sum, { elements }) => sum + elements, parts.length),
});

/** JSON without nulls: a null inside JSON is absent, as in a field. */
export const jsonOf = (stored: unknown): Converted => {
  if (typeof stored === "string") return scalar(stored, 1 + stored.length);
  if (typeof stored !== "object" || stored === null || stored instanceof Date) return scalar(stored);
  if (Array.isArray(stored)) {
    const items = stored.filter((item) => item !== null && item !== undefined).map(jsonOf);
    return { value: items.map(({ value }) => value), ...sumOf(items) };
  }
  const present = Object.entries(stored).filter(([, value]) => value !== null && value !== undefined);
  const entries = present.map(([key, value]) => [key, jsonOf(value)] as const);
  const value = new Map(entries.map(([key, inner]) => [key, inner.value]));
  return { value, ...sumOf(entries.map(([, inner]) => inner)) };
};

const convert = (stored: unknown, type: string): Converted => {
  if (type === OPAQUE) return scalar(opaqueValue);
  if (type === REFERENCE) return scalar(referenceOf(stored));
  if (type === TIMESTAMP) return scalar(typeof stored === "string" ? dayOf(stored) : stored);
  if (type === `list<${REFERENCE}>` && Array.isArray(stored)) {
    return { value: stored.map(referenceOf), units: 1 + stored.length, elements: stored.length };
  }
  return jsonOf(stored);
};

/** The types of an object's fields in conditions, by api_name. */
export type RecordTypes = ReadonlyMap<string, string>;

export const recordTypesOf = ({ properties }: ObjectSchema, opaque: readonly string[]): RecordTypes =>
  new Map(Object.values(properties).map((field: Field) => [field.api_name, fieldTypeOf(field, opaque)]));

/**
 * A record as conditions see it. Fields are converted when they are read, and each access takes its size from the
 * budget. Null fields are absent.
 */
export class RecordValue extends Map<string, unknown> {
  readonly stored: Readonly<Record<string, unknown>> | null;
  readonly #types: RecordTypes;
  readonly #converted: Map<string, Converted>;

  /** `stored` is null for the old record of a new one, which has no fields. */
  constructor(stored: Readonly<Record<string, unknown>> | null, types: RecordTypes) {
    super();
    this.stored = stored;
    this.#types = types;
    this.#converted = new Map();
  }

  override get(name: string): unknown {
    const known = this.#converted.get(name);
    if (known !== undefined) {
      charge(known.units, known.elements);
      return known.value;
    }
    const type = this.#types.get(name);
    const stored = type !== undefined && this.stored !== null ? this.stored[name] : undefined;
    if (type === undefined || stored === undefined || stored === null) return undefined;
    const converted = convert(stored, type);
    this.#converted.set(name, converted);
    charge(converted.units, converted.elements);
    return converted.value;
  }
}

/** The caller, as conditions see them. */
export class UserValue extends Map<string, unknown> {}

/** The fields of `user` and their types. */
export const userTypes = {
  id: "string",
  email: "string",
  name: "string",
  role: "string",
  permissions: "list<string>",
  is_admin: "bool",
  is_account_owner: "bool",
} as const;

/** The user in whose name a record is written. `role` is the id of a role, `permissions` the ids of permissions. */
export interface RuleUser {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: string | null;
  readonly permissions: readonly string[];
  readonly is_admin: boolean;
  readonly is_account_owner: boolean;
}

export const userValueOf = (user: RuleUser): UserValue => {
  const parts = Object.keys(userTypes).map((name) => [name, user[name as keyof RuleUser]] as const);
  return new UserValue(parts.filter(([, value]) => value !== null));
};
