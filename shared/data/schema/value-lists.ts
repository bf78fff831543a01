import type { ClientSession, Document } from "mongodb";
import { LONGEST_CHOICE, MOST_CHOICES } from "#contracts/object-schema";
import type { Tenant } from "#shared/tenant/tenant";
import type { Field, ObjectSchema } from "./object-schema.ts";

/** The object whose records are choices that several fields share: `{name, values}`. */
export const VALUE_LIST_OBJECT = "value_list";

/** The values of lists by the names of the lists. */
export type ValueLists = ReadonlyMap<string, string[]>;

type Reader = Pick<Tenant, "collection">;

const isChoice = (value: unknown): value is string =>
  typeof value === "string" && value !== "" && value.length <= LONGEST_CHOICE;

/** Values that no write of this platform could have stored are left out, because replies could not show them. */
export const choicesOf = (values: unknown): string[] =>
  Array.isArray(values) ? [...new Set(values.filter(isChoice))].slice(0, MOST_CHOICES) : [];

/** Lists that do not exist are absent. Organizations without the object have none. */
export const readValueLists = async (
  { collection }: Reader,
  names: readonly string[],
  session?: ClientSession,
): Promise<ValueLists> => {
  if (names.length === 0) return new Map();
  const found = await collection<Document>(VALUE_LIST_OBJECT)
    .find({ name: { $in: [...names] } }, { projection: { name: 1, values: 1 }, ...(session && { session }) })
    .toArray();
  return new Map(found.map(({ name, values }) => [String(name), choicesOf(values)]));
};

/** The names of the lists that the fields name. */
export const listNamesOf = (fields: readonly Pick<Field, "global_list_name">[]): string[] => [
  ...new Set(fields.flatMap(({ global_list_name }) => global_list_name ?? [])),
];

export const fieldsOf = ({ properties }: ObjectSchema): Field[] => Object.values(properties);

/** The field with the values of its list. A list that is missing has no values. */
export const withChoices = (field: Field, lists: ValueLists): Field =>
  field.global_list_name === undefined ? field : { ...field, values: lists.get(field.global_list_name) ?? [] };

/** The objects with the values of their lists. Fields of one list share one array. */
export const withListValues = (schema: ObjectSchema, lists: ValueLists): ObjectSchema => {
  if (listNamesOf(fieldsOf(schema)).length === 0) return schema;
  const entries = Object.entries(schema.properties).map(([name, field]) => [name, withChoices(field, lists)] as const);
  return { ...schema, properties: Object.fromEntries(entries) };
};

/** `withListValues`, with the lists as they are stored. Reads nothing if no field names a list. */
export const resolveLists = async (
  tenant: Reader,
  schemas: readonly ObjectSchema[],
  session?: ClientSession,
): Promise<ObjectSchema[]> => {
  const lists = await readValueLists(tenant, listNamesOf(schemas.flatMap(fieldsOf)), session);
  return schemas.map((schema) => withListValues(schema, lists));
};
