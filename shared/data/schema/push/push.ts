import { isDeepStrictEqual } from "node:util";
import type { ClientSession } from "mongodb";
import type { InvokeLater } from "#shared/foundation/aws/functions";
import { Fault, type Issue, refuseIfAny } from "#shared/foundation/faults";
import { askForMigration, type Tenant } from "#shared/tenant/tenant";
import { settleChange } from "../build-indexes.ts";
import { changeSchemaIn } from "../change.ts";
import type { Known } from "../check-field.ts";
import { indexPlanOf } from "../index-plan.ts";
import { isBuilding } from "../index-status.ts";
import { MOST_OBJECTS } from "../limits.ts";
import { insertObject } from "../missing-model.ts";
import { type ObjectSchema, SCHEMAS_COLLECTION, type StoredSchema } from "../object-schema.ts";
import { schemasOf } from "../read.ts";
import type { OpaqueFields } from "../rules/field-types.ts";
import { choicesOf, fieldsOf, listNamesOf, readValueLists, type ValueLists, withListValues } from "../value-lists.ts";
import { type ObjectChange, objectIssues, refuseUnfitObject } from "./check.ts";
import { merged, type PushedObject, pushedFields } from "./merge.ts";

export { ownFields as ownFieldsOf, type PushedObject } from "./merge.ts";

interface PendingChange extends ObjectChange {
  readonly pushed: PushedObject;
}

/** A checked change of the target's model that is not written yet. */
export interface ReadyModel {
  /** All objects of the target as the push leaves them, with the values of their lists. */
  readonly schemas: Readonly<Record<string, ObjectSchema>>;
  readonly counts: { readonly created: number; readonly updated: number; readonly unchanged: number };
  /** Raises `conflict` if an object was created at the same time, and `validation_failed` for a model that is too large. */
  write(session: ClientSession): Promise<void>;
  /** After the commit: has the new indexes built. Never raises. */
  follow(later: InvokeLater): Promise<void>;
}

const conflict = (message: string): Fault => new Fault("conflict", { message });

const changeOf = (schemas: readonly ObjectSchema[], pushed: PushedObject): PendingChange => {
  const { schema, fields } = pushed;
  const { id, api_name } = schema;
  const before = schemas.find((one) => one.id === id) ?? null;
  const namesake = schemas.find((one) => one.api_name === api_name);
  if (namesake !== undefined && namesake.id !== id) {
    throw conflict(`The target has another object "${api_name}" (id ${namesake.id}); that of the sandbox is ${id}.`);
  }
  if (before !== null && before.api_name !== api_name) {
    throw conflict(`The object ${id} is called "${before.api_name}" in the target and "${api_name}" in the sandbox.`);
  }
  if (before === null && fields !== "all") {
    const msg = `The target has no object "${api_name}", and it does not belong to the app: only fields of it do.`;
    throw new Fault("validation_failed", {
      issues: [{ loc: ["body", "schemas", api_name], msg, type: "unknown_object" }],
    });
  }
  return { pushed, before, after: merged(before, pushed) };
};

const roomIssues = (model: Readonly<Record<string, ObjectSchema>>, created: number): Issue[] => {
  if (created === 0 || Object.keys(model).length <= MOST_OBJECTS) return [];
  const msg = `An organization has at most ${MOST_OBJECTS} objects.`;
  return [{ loc: ["body", "schemas"], msg, type: "too_many_objects" }];
};

const isReplanned = ({ before, after }: ObjectChange): boolean =>
  before !== null && (indexPlanOf(before).fingerprint !== indexPlanOf(after).fingerprint || isBuilding(after));

const write = async (
  tenant: Tenant,
  { before, after, pushed }: PendingChange,
  session: ClientSession,
): Promise<void> => {
  if (before !== null) {
    await changeSchemaIn(tenant, before.id, (stored) => merged(stored, pushed), session);
    return;
  }
  const stored = tenant.collection<StoredSchema>(SCHEMAS_COLLECTION);
  const match = { $or: [{ api_name: after.api_name }, { _id: after.id }] };
  if ((await stored.countDocuments(match, { session, limit: 1 })) > 0)
    throw conflict(`The object "${after.api_name}" was created in the target at the same time. Push again.`);
  await insertObject(tenant, after, session);
};

/** The lists that the model names, as the push leaves them. `values` of pushed lists by their names. */
const listsAfter = async (
  tenant: Tenant,
  schemas: readonly ObjectSchema[],
  values: ReadonlyMap<string, unknown>,
): Promise<ValueLists> => {
  const stored = await readValueLists(tenant, listNamesOf(schemas.flatMap(fieldsOf)));
  return new Map([...stored, ...[...values].map(([name, choices]) => [name, choicesOf(choices)] as const)]);
};

/**
 * Checks objects and fields of another organization as ordinary changes of the target's model are checked, and gives what
 * writes them. `lists`: the values of the value lists that the same transaction writes before, by name. Raises `conflict`,
 * `validation_failed`, `standard_object`, `values_do_not_fit`, `duplicate_value` and `in_use`.
 */
export const prepareModel = async (
  tenant: Tenant,
  pushed: readonly PushedObject[],
  { lists: values, opaque }: { readonly lists: ReadonlyMap<string, unknown>; readonly opaque: OpaqueFields },
): Promise<ReadyModel> => {
  const stored = await schemasOf(tenant);
  const all = pushed.map((one) => changeOf(Object.values(stored), one));
  const changes = all.filter(({ before, after }) => before === null || !isDeepStrictEqual(before, after));
  const created = changes.filter(({ before }) => before === null);
  const model = { ...stored, ...Object.fromEntries(changes.map(({ after }) => [after.api_name, after])) };
  const lists = await listsAfter(tenant, Object.values(model), values);
  const known: Known = { object: (name) => Object.hasOwn(model, name), lists };
  const issues = roomIssues(model, created.length);
  for (const change of changes) issues.push(...(await objectIssues(change, known, opaque)));
  refuseIfAny(issues);
  for (const change of changes) await refuseUnfitObject(tenant, change, known);
  if (changes.some(isReplanned)) await askForMigration(tenant.organization_id);
  const shown = Object.entries(model).map(([name, schema]) => [name, withListValues(schema, lists)] as const);
  return {
    schemas: Object.fromEntries(shown),
    counts: {
      created: created.length,
      updated: changes.length - created.length,
      unchanged: all.length - changes.length,
    },
    write: async (session) => {
      for (const change of changes) await write(tenant, change, session);
    },
    follow: async (later) => {
      for (const { before, after } of changes) {
        if (before === null || isReplanned({ before, after })) await settleChange(tenant, after.api_name, later);
      }
    },
  };
};

/** The names of the value lists that pushed fields name. */
export const listsOf = (pushed: readonly PushedObject[]): string[] => listNamesOf(pushed.flatMap(pushedFields));
