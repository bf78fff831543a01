import { isDeepStrictEqual } from "node:util";
import type { Document } from "mongodb";
import type { ConfigurationKind } from "#contracts/sandbox-bodies";
import { isObject } from "#shared/foundation/is-object";
import { READERS_FIELD } from "#shared/tenant/tenant";
import { SCHEMAS } from "../copying/configuration.ts";

/** They say who wrote a record and when, and differ without a difference of the configuration. */
const notCompared: ReadonlySet<string> = new Set([
  "_id",
  "created_date",
  "created_by",
  "modified_date",
  "modified_by",
  "owner",
  READERS_FIELD,
]);

/** Of the field's index, not of the model. */
const { index_status, index_failure } = { index_status: "index_status", index_failure: "index_failure" } as const;

/** References follow the names of what they refer to. */
export const comparable = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(comparable);
  if (!isObject(value) || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const { name, ...rest } = value;
  const isReference = typeof value.id === "string" && typeof value.schema === "string";
  const members = Object.entries(isReference ? rest : value).map(([key, member]) => [key, comparable(member)] as const);
  return Object.fromEntries(members);
};

const withoutIndexStatus = (field: unknown): unknown => {
  if (!isObject(field)) return field;
  const { [index_status]: _, [index_failure]: __, ...own } = field;
  return own;
};

/** What is compared, by its name: the record's fields; of an object also each of its fields. */
const partsOf = (kind: ConfigurationKind, document: Document): Map<string, unknown> => {
  const parts = new Map<string, unknown>();
  for (const [name, value] of Object.entries(document)) {
    if (notCompared.has(name) || value === null || value === undefined) continue;
    if (kind === SCHEMAS && name === "properties" && isObject(value)) {
      for (const [field, settings] of Object.entries(value)) parts.set(`fields.${field}`, withoutIndexStatus(settings));
    } else parts.set(name, comparable(value));
  }
  return parts;
};

/** The names of the parts in which two documents differ, in the order of the alphabet. */
export const differingParts = (kind: ConfigurationKind, one: Document, other: Document): string[] => {
  const [first, second] = [partsOf(kind, one), partsOf(kind, other)];
  const names = new Set([...first.keys(), ...second.keys()]);
  return [...names].filter((name) => !isDeepStrictEqual(first.get(name), second.get(name))).sort();
};
