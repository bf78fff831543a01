import { accessOf } from "#shared/data/access/access";
import { fail, type PendingReference, schemaOf, type ValidationReport } from "#shared/data/schema/schema";
import type { Tenant } from "#shared/tenant/tenant";
import { permitted, referenceNameOf, type StoredRecord } from "./stored-record.ts";
import type { CreatedNames, Target } from "./target.ts";

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
  return new Map(records.map((record) => [record._id, referenceNameOf(record)]));
};

/** Fills in the names, and gives the references to records that do not exist or that the caller may not read. */
const resolveOne = async (
  { tenant, created }: { readonly tenant: Tenant; readonly created: CreatedNames | undefined },
  object: string,
  pending: readonly PendingReference[],
): Promise<PendingReference[]> => {
  const names = new Map(created?.get(object));
  const others = new Set(pending.map(({ reference }) => reference.id).filter((id) => !names.has(id)));
  if (object === "user" && others.delete(tenant.caller.id)) {
    // Callers may always refer to themselves.
    names.set(tenant.caller.id, referenceNameOf(tenant.caller));
  }
  const target = others.size === 0 ? null : await readableTarget(tenant, object);
  if (target !== null) for (const [id, name] of await namesOf(target, [...others])) names.set(id, name);
  return pending.filter(({ reference }) => {
    const name = names.get(reference.id);
    if (name !== undefined) reference.name = name;
    return name === undefined;
  });
};

/** The same for a record that does not exist and for one that the caller may not read. */
export const failMissing = (report: ValidationReport, { reference, at }: PendingReference): undefined => {
  const context = { report, at, secret: false };
  return fail(context, "reference_not_found", `There is no "${reference.schema}" record with this id.`, reference.id);
};

/** Reads the records that a batch refers to, with one query an object. Gives those that the caller cannot refer to. */
export const resolveReferences = async (
  { tenant, createdToo }: Pick<Target, "tenant" | "createdToo">,
  report: ValidationReport,
): Promise<PendingReference[]> => {
  const byObject = Map.groupBy(report.references, ({ reference }) => reference.schema);
  const created = await createdToo?.();
  const missing = await Promise.all(
    [...byObject].map(([object, pending]) => resolveOne({ tenant, created }, object, pending)),
  );
  return missing.flat();
};
