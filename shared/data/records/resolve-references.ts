import { accessOf } from "#shared/data/access/access";
import { schemaOf } from "#shared/data/schema/schema";
import type { Tenant } from "#shared/tenant/tenant";
import { permitted, type StoredRecord } from "./stored-record.ts";
import type { Target } from "./target.ts";
import { fail, type PendingReference, type Report } from "./values/report.ts";

/** A reference keeps the name of its record as it is now; long ones are cut, because every row repeats it. */
const LONGEST_NAME = 255;

/** The object as far as the caller may read it, which is as far as it exists for them. */
const readableTarget = async (tenant: Tenant, object: string): Promise<Target | null> => {
  const [schema, access] = await Promise.all([schemaOf(tenant, object), accessOf(tenant)]);
  if (schema?.api_name !== object || !access.can(object, "read")) return null;
  return { tenant, access, schema, object };
};

const namesOf = async (target: Target, ids: readonly string[]): Promise<Map<string, string | null>> => {
  const records = await target.tenant
    .collection<StoredRecord>(target.object)
    .find(permitted(target, "read", { _id: { $in: [...ids] } }), { projection: { name: 1 } })
    .toArray();
  // Stored for everybody; who may not read it is not shown it.
  return new Map(records.map(({ _id, name }) => [_id, typeof name === "string" ? name.slice(0, LONGEST_NAME) : null]));
};

const resolveOne = async (tenant: Tenant, object: string, pending: readonly PendingReference[], report: Report) => {
  const others = new Set(pending.map(({ reference }) => reference.id));
  const names = new Map<string, string | null>();
  if (object === "user" && others.delete(tenant.caller.id)) {
    // Callers may always point to themselves.
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
 * Finds every record that a batch points to with one query an object, and notes those that are not there or that the
 * caller may not read: both sound the same.
 */
export const resolveReferences = async (tenant: Tenant, report: Report): Promise<void> => {
  const byObject = Map.groupBy(report.references, ({ reference }) => reference.schema);
  await Promise.all([...byObject].map(([object, pending]) => resolveOne(tenant, object, pending, report)));
};
