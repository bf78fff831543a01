import type { ClientSession, Document } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import type { InvokeLater } from "#shared/foundation/aws/functions";
import { isObject } from "#shared/foundation/is-object";
import { askForMigration, type Tenant } from "#shared/tenant/tenant";
import { settleChange } from "./build-indexes.ts";
import { changeSchemaIn } from "./change.ts";
import { isEncryptedValue } from "./encryption/encrypted-value.ts";
import { insertObject, missingFrom } from "./missing-model.ts";
import {
  type Field,
  type ObjectSchema,
  resolveSchema,
  SCHEMAS_COLLECTION,
  type StoredSchema,
} from "./object-schema.ts";
import { standardSchemas } from "./standard/standard-objects.ts";
import { systemFields } from "./system-fields.ts";

export interface GeneratedSchemas {
  readonly created: string[];
  readonly updated: string[];
  readonly unchanged: string[];
}

const SAMPLE = 1_000;
const API_NAME = /^(?!constructor$)[a-z][a-z0-9_]{0,79}$/;

/** `annual_revenue` → `Annual revenue`. */
const labelOf = (apiName: string): string =>
  `${apiName.charAt(0).toUpperCase()}${apiName.slice(1).replaceAll("_", " ")}`;

type Kind = Pick<Field, "type" | "format" | "schema">;

const isReferenceValue = (value: unknown): value is { id: string; schema: string } =>
  isObject(value) && typeof value.id === "string" && typeof value.schema === "string";

/** What a field must be for a stored value. */
const kindOf = (value: unknown): Kind => {
  if (value instanceof Date) return { type: "string", format: "date-time" };
  if (typeof value === "string") return { type: "string" };
  if (typeof value === "number") return { type: "number" };
  if (typeof value === "boolean") return { type: "boolean" };
  if (Array.isArray(value)) return { type: "list" };
  if (isReferenceValue(value)) return { type: "json", format: "lookup", schema: value.schema };
  return { type: "json", format: "json" };
};

/** What fits all values: values of several types can only be told apart as JSON. */
const kindOfAll = (values: readonly unknown[], isObjectName: (name: string) => boolean): Kind => {
  const kinds = new Map(values.map((value) => [JSON.stringify(kindOf(value)), kindOf(value)]));
  const [only, ...others] = kinds.values();
  if (only === undefined || others.length > 0) {
    const areLookups = [...kinds.values()].every(({ format }) => format === "lookup");
    return areLookups ? { type: "json", format: "compound_lookup" } : { type: "json", format: "json" };
  }
  return only.schema === undefined || isObjectName(only.schema) ? only : { type: "json", format: "json" };
};

const inferredObject = (
  apiName: string,
  records: readonly Document[],
  isObjectName: (name: string) => boolean,
): ObjectSchema => {
  const values = new Map<string, unknown[]>([["name", []]]);
  for (const record of records) {
    for (const [key, value] of Object.entries(record)) {
      // Values of a deleted encrypted field are of use to that field only.
      if (value === null || isEncryptedValue(value)) continue;
      if (!API_NAME.test(key) || Object.hasOwn(systemFields, key)) continue;
      values.set(key, [...(values.get(key) ?? []), value]);
    }
  }
  const properties = [...values].map(([name, found]): [string, Field] => {
    const kind: Kind = name === "name" ? { type: "string" } : kindOfAll(found, isObjectName);
    return [name, { api_name: name, name: labelOf(name), required: false, ...kind }];
  });
  return resolveSchema({
    id: uuidv7(),
    api_name: apiName,
    name: labelOf(apiName),
    properties: Object.fromEntries(properties),
  });
};

/**
 * Completes the model: standard objects and standard fields that are missing, and an object for each collection without
 * one, from a sample of its records. Running it again changes nothing.
 */
export const generateSchemas = async (tenant: Tenant, later: InvokeLater): Promise<GeneratedSchemas> => {
  const schemas = tenant.collection<StoredSchema>(SCHEMAS_COLLECTION);
  const names = await tenant.collectionNames();
  const known = new Set((await schemas.find({}, { projection: { api_name: 1 } }).toArray()).map((one) => one.api_name));
  const samples = new Map<string, Document[]>();
  for (const name of names.filter((one) => API_NAME.test(one) && !known.has(one) && one !== SCHEMAS_COLLECTION)) {
    if (standardSchemas().some(({ api_name }) => api_name === name)) continue;
    samples.set(
      name,
      await tenant
        .collection(name)
        .find({}, { sort: { _id: -1 }, limit: SAMPLE })
        .toArray(),
    );
  }
  const isObjectName = (name: string): boolean => known.has(name) || samples.has(name);
  const inferred = [...samples].map(([name, records]) => inferredObject(name, records, isObjectName));

  const generate = async (session: ClientSession): Promise<GeneratedSchemas> => {
    const stored = (await schemas.find({}, { session }).toArray()).map(resolveSchema);
    const { created, completed } = missingFrom(stored, inferred);
    for (const schema of created) await insertObject(tenant, schema, session);
    for (const schema of completed) await changeSchemaIn(tenant, schema.id, () => schema, session);
    const updated = completed.map(({ api_name }) => api_name);
    const unchanged = stored.map(({ api_name }) => api_name).filter((name) => !updated.includes(name));
    return {
      created: created.map(({ api_name }) => api_name).sort(),
      updated: updated.sort(),
      unchanged: unchanged.sort(),
    };
  };
  // Each object that is described or completed may ask for an index.
  await askForMigration(tenant.organization_id);
  const report = await tenant.transaction(generate);
  for (const object of [...report.created, ...report.updated]) {
    if (names.includes(object)) await settleChange(tenant, object, later);
  }
  return report;
};
