import { isDeepStrictEqual } from "node:util";
import type { ClientSession } from "mongodb";
import { Fault } from "#shared/foundation/faults";
import { type OrganizationState, STATE_COLLECTION, type Tenant, type TenantDatabase } from "#shared/tenant/tenant";
import {
  type Change,
  type Origin,
  originOf,
  type RecordedChanges,
  type TrailAction,
  writeTrail,
} from "#shared/trail/trail";
import { withNewIndexes } from "./index-status.ts";
import { bytesOf, refuseTooLarge, refuseTooManyIndexes } from "./model-size.ts";
import {
  type Field,
  type ObjectSchema,
  resolveSchema,
  SCHEMAS_COLLECTION,
  type StoredSchema,
  storedSchema,
} from "./object-schema.ts";
import { sensitiveNamesUpdate } from "./sensitive-names.ts";
import { fieldsOf, listNamesOf, readValueLists, type ValueLists, withListValues } from "./value-lists.ts";

/** Who changes a model: the caller of a request, or the platform itself. */
export type ModelEditor = Pick<TenantDatabase, "organization_id" | "collection"> &
  (Pick<Tenant, "caller" | "request_id" | "state"> | { readonly origin: Origin });

/** In bytes of JSON, for one part of a schema in an audit entry. */
const LARGEST_PART = 16 * 1024;

/** A schema before and after a change. `before` is null for a new object, `after` for a deleted one. */
interface SchemaChange {
  readonly before: ObjectSchema | null;
  readonly after: ObjectSchema | null;
}

/** Raises `validation_failed` for a field that names a list which is not stored. */
const refuseMissingLists = (schema: ObjectSchema, lists: ValueLists): void => {
  const field = fieldsOf(schema).find(({ global_list_name: name }) => name !== undefined && !lists.has(name));
  if (field === undefined) return;
  const msg = `There is no value list "${field.global_list_name}", which the field "${field.api_name}" names.`;
  throw new Fault("validation_failed", { issues: [{ loc: ["body"], msg, type: "unknown_list" }] });
};

/**
 * Checks the changed object in the transaction: its lists exist, and it has not grown too large. What the platform
 * itself adds is not checked for the number of indexes.
 */
const checkChanged = async (
  tenant: ModelEditor,
  { before, after }: SchemaChange,
  session: ClientSession,
): Promise<void> => {
  if (after === null) return;
  if (!("origin" in tenant)) refuseTooManyIndexes(before, after);
  const fields = [after, ...(before === null ? [] : [before])].flatMap(fieldsOf);
  const lists = await readValueLists(tenant, listNamesOf(fields), session);
  refuseMissingLists(after, lists);
  const shown = withListValues(after, lists);
  if (before !== null && bytesOf(shown) <= bytesOf(withListValues(before, lists))) return;
  await refuseTooLarge(tenant, [shown], session);
};

/** What somebody has set. The platform keeps the state of the index. */
const settingsOf = ({ index_status: _, index_failure: __, ...settings }: Field): unknown => settings;

/** The parts of a schema that are compared one by one: properties, each field, and each rule. */
const partsOf = (schema: ObjectSchema | null): ReadonlyMap<string, unknown> => {
  if (schema === null) return new Map();
  const { properties, validation_rules, required, ...own } = schema;
  return new Map<string, unknown>([
    ...Object.entries(own),
    ...Object.entries(properties).map(([name, field]) => [`field ${name}`, settingsOf(field)] as const),
    ...validation_rules.map((rule) => [`rule ${rule.api_name}`, rule] as const),
  ]);
};

const recordedChangesOf = ({ before, after }: SchemaChange): RecordedChanges => {
  const [from, to] = [partsOf(before), partsOf(after)];
  const changed = [...new Set([...from.keys(), ...to.keys()])].filter(
    (part) => !isDeepStrictEqual(from.get(part) ?? null, to.get(part) ?? null),
  );
  return Object.fromEntries(
    changed.map((part): [string, Change] => {
      const change = { from: from.get(part) ?? null, to: to.get(part) ?? null };
      return [part, JSON.stringify(change).length > LARGEST_PART ? { cut: true } : change];
    }),
  );
};

const actionOf = ({ before, after }: SchemaChange): TrailAction => {
  if (before === null) return "created";
  return after === null ? "deleted" : "updated";
};

/**
 * Completes a change of the model in its transaction: the audit entry, and the schema version, so that the next request
 * reads the model anew in every execution environment. The change itself is written already. Raises `validation_failed`
 * for a model that has grown too large, for too many indexes, and for a value list that is gone.
 */
export const completeSchemaChange = async (
  tenant: ModelEditor,
  change: SchemaChange,
  session: ClientSession,
): Promise<void> => {
  const schema = change.after ?? change.before;
  if (schema === null) return;
  await checkChanged(tenant, change, session);
  await tenant
    .collection<OrganizationState>(STATE_COLLECTION)
    .updateOne(
      { _id: tenant.organization_id },
      { $inc: { schema_version: 1 }, ...sensitiveNamesUpdate(change.before, change.after) },
      { session },
    );
  const entry = {
    action: actionOf(change),
    object: SCHEMAS_COLLECTION,
    record_id: schema.id,
    called: schema.api_name,
    changes: recordedChangesOf(change),
  };
  await writeTrail(tenant, "origin" in tenant ? tenant.origin : originOf(tenant), [entry], session);
};

/** The stored object with this api_name (case-insensitive) or id. Raises `object_not_found`. */
export const storedObject = async (
  tenant: Pick<TenantDatabase, "collection">,
  name: string,
  session: ClientSession,
): Promise<ObjectSchema> => {
  const apiName = name.toLowerCase();
  const found = await tenant
    .collection<StoredSchema>(SCHEMAS_COLLECTION)
    .find({ $or: [{ api_name: apiName }, { _id: name }] }, { session })
    .limit(2)
    .toArray();
  const document = found.find((candidate) => candidate.api_name === apiName) ?? found[0];
  if (document === undefined) throw new Fault("object_not_found", { message: `There is no object "${name}".` });
  return resolveSchema(document);
};

/**
 * Changes one object of the model, by api_name or id, in the transaction of `session`: its audit entry and the schema
 * version are part of it. `change` is given the stored object, so that of two changes at the same time neither is lost:
 * the transaction of the second one runs again on what the first one has written. An equal object changes nothing.
 * New indexes are `building` afterwards.
 * Raises `object_not_found`, and what `change` raises.
 */
export const changeSchemaIn = async (
  tenant: ModelEditor,
  name: string,
  change: (schema: ObjectSchema) => ObjectSchema | Promise<ObjectSchema>,
  session: ClientSession,
): Promise<ObjectSchema> => {
  const before = await storedObject(tenant, name, session);
  const after = withNewIndexes(before, resolveSchema(storedSchema(await change(before))));
  if (isDeepStrictEqual(before, after)) return after;
  const { _id, ...document } = storedSchema(after);
  await tenant.collection<StoredSchema>(SCHEMAS_COLLECTION).replaceOne({ _id: before.id }, document, { session });
  await completeSchemaChange(tenant, { before, after }, session);
  return after;
};

/** `changeSchemaIn` as the one effect of a request, which may be repeated with an `Idempotency-Key`. */
export const changeSchema = (
  tenant: Tenant,
  name: string,
  change: (schema: ObjectSchema) => ObjectSchema | Promise<ObjectSchema>,
): Promise<ObjectSchema> =>
  tenant.once.write(
    async () => async (session) => {
      const value = await changeSchemaIn(tenant, name, change, session);
      return { ids: [value.id], value };
    },
    async ([id = name]) => tenant.transaction((session) => storedObject(tenant, id, session)),
  );

/** The given settings in place of the stored ones; what is undefined stays. */
export const withSettings = <T extends object>(
  stored: T,
  settings: { readonly [K in keyof T]?: T[K] | undefined },
): T => ({
  ...stored,
  ...(Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as Partial<T>),
});
