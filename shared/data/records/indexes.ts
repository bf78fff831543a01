import { fieldOfUniqueIndex, INDEX_PREFIX, type IndexPlan, indexPlanOf } from "#shared/data/schema/schema";
import { isDuplicateKey } from "#shared/foundation/duplicate-key";
import { Fault } from "#shared/foundation/faults";
import { log } from "#shared/foundation/log";
import { type OrganizationState, STATE_COLLECTION } from "#shared/tenant/tenant";
import { collectionOf } from "./stored-record.ts";
import type { Target } from "./target.ts";

const dropStale = async (target: Target, plan: IndexPlan): Promise<void> => {
  const collection = collectionOf(target);
  const wanted = new Set(plan.indexes.map(({ name }) => name));
  for (const { name } of await collection.listIndexes().toArray()) {
    if (typeof name === "string" && name.startsWith(INDEX_PREFIX) && !wanted.has(name))
      await collection.dropIndex(name);
  }
};

/** Records the plan, unless the schema has changed meanwhile. Whether it was recorded. */
const noteIndexed = async ({ tenant, object }: Target, plan: IndexPlan): Promise<boolean> => {
  const { matchedCount } = await tenant
    .collection<OrganizationState>(STATE_COLLECTION)
    .updateOne(
      { _id: tenant.organization_id, schema_version: tenant.state.schema_version },
      { $set: { [`indexed.${object}`]: plan.fingerprint } },
    );
  return matchedCount === 1;
};

/**
 * Creates the indexes of the schema before a write. The organization state remembers the plan, so that a second call
 * needs no command. Idempotent, also when run concurrently. Raises `duplicate_value` if existing records have equal
 * values of a unique field.
 */
export const ensureIndexes = async (target: Target): Promise<void> => {
  const { tenant, object, schema } = target;
  const plan = indexPlanOf(schema);
  if (tenant.state.indexed?.[object] === plan.fingerprint) return;
  try {
    await collectionOf(target).createIndexes([...plan.indexes]);
  } catch (cause) {
    if (!isDuplicateKey(cause)) throw cause;
    const field = fieldOfUniqueIndex(String(cause)) ?? "a field";
    throw new Fault("duplicate_value", {
      message: `Records of "${object}" hold equal values of "${field}", which is unique; make them different first.`,
      cause,
    });
  }
  const before = tenant.state.indexed?.[object];
  if ((await noteIndexed(target, plan)) && before !== undefined) await dropStale(target, plan);
  log.info({ organization: tenant.organization_id, object, indexes: plan.indexes.length }, "indexes are in place");
};

/** The details of a duplicate-key error, as far as the error has them. */
export interface DuplicateKey {
  readonly field: string | undefined;
  /** The index of the record in the batch, from 0. */
  readonly index: number | undefined;
}

/** Undefined for any other error. */
export const duplicateKey = (error: unknown): DuplicateKey | undefined => {
  if (!isDuplicateKey(error)) return undefined;
  const { message, writeErrors }: Error & { readonly writeErrors?: unknown } = error;
  const [first]: { index?: number; errmsg?: string }[] = Array.isArray(writeErrors) ? writeErrors : [];
  return { field: fieldOfUniqueIndex(`${first?.errmsg ?? ""} ${message}`), index: first?.index };
};
