import { accessOf } from "#shared/data/access/access";
import { fail, type PendingReference, schemaOf, type ValidationReport } from "#shared/data/schema/schema";
import type { Tenant } from "#shared/tenant/tenant";
import { permitted, type StoredRecord } from "./stored-record.ts";
import type { Target } from "./target.ts";

/** In characters. A reference stores the current name of its record, cut to this length. */
const LONGEST_NAME = 255;

/** Null if the object does not exist or the caller may not read it. */
const readableTarget = async (tenant: Tenant, object: string): Promise<Target | null> => {
  const [schema, access] = await Promise.all([schemaOf(tenant, object), accessOf(tenant)]);
  if (schema?.api_name !== object || !access.can(object, "read")) return null;
  return { tenant, access, schema, object };
};

const namesOf = async (target: Target, ids: readonly string[]): Promise<Map<string, string | null>> => {
  const records = await target.tenant
    .collection<StoredRecord>(target.object)
    .find(permitted(target, { _id: { $in: [...ids] } }), { projection: { name: 1 } })
    .toArray();
  // Stored in any case. Replies hide it from callers who may not read it.
  return new Map(records.map(({ _id, name }) => [_id, typeof name === "string" ? name.slice(0, LONGEST_NAME) : null]));
};

const resolveOne = async (
  tenant: Tenant,
  object: string,
  pending: readonly PendingReference[],
  report: ValidationReport,
) => {
  const others = new Set(pending.map(({ reference }) => reference.id));
  const names = new Map<string, string | null>();
  if (object === "user" && others.delete(tenant.caller.id)) {
    // Callers may always refer to themselves.
    names.set(tenant.caller.id, tenant.caller.name);
  }
  const target = others.size === 0 ? null : await readableTarget(tenant, object);
  if (target !== null) for (const [id, name] of await namesOf(target, [...others])) names.set(id, name);
  for (const { reference, at } of pending) {
    const name = names.get(reference.id);
    if (name === undefined) {
      const context = { report, at, secret: false };
      fail(context, "reference_not_found", `There is no "${object}" record with this id.`, reference.id);
    } else reference.name = name;
  }
};

/**
 * Reads the records that a batch refers to, with one query an object. Adds the same issue for records that do not exist
 * and for those that the caller may not read.
 */
export const resolveReferences = async (tenant: Tenant, report: ValidationReport): Promise<void> => {
  const byObject = Map.groupBy(report.references, ({ reference }) => reference.schema);
  await Promise.all([...byObject].map(([object, pending]) => resolveOne(tenant, object, pending, report)));
};
