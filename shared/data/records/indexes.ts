import { createHash } from "node:crypto";
import type { IndexDescription } from "mongodb";
import { type Field, fieldIndexOf, type ObjectSchema } from "#shared/data/schema/schema";
import { isDuplicateKey } from "#shared/foundation/duplicate-key";
import { Fault } from "#shared/foundation/faults";
import { log } from "#shared/foundation/log";
import { type OrganizationState, STATE_COLLECTION } from "#shared/tenant/tenant";
import { collectionOf } from "./stored-record.ts";
import type { Target } from "./target.ts";

/** Tells these indexes from those that operators add by hand. */
const PREFIX = "tenantry_";
const UNIQUE = `${PREFIX}unique_`;

/** The name encodes the whole definition, so that two definitions never share a name. */
const describe = (field: Field): IndexDescription[] => {
  const index = fieldIndexOf(field);
  if (index === null) return [];
  const { path, unique } = index;
  // With `_id` last, the index also serves sorting with the id as a tie-breaker.
  if (!unique) return [{ key: { [path]: 1, _id: 1 }, name: `${PREFIX}${path}+id` }];
  // Records without a value are no duplicates of each other.
  const partialFilterExpression = { [path]: { $exists: true } };
  return [{ key: { [path]: 1 }, name: `${UNIQUE}${path}`, unique: true, partialFilterExpression }];
};

export interface IndexPlan {
  readonly indexes: readonly IndexDescription[];
  readonly fingerprint: string;
}

const plans = new WeakMap<ObjectSchema, IndexPlan>();

/** The indexes of a schema: unique and indexed fields, references by id, the system dates and the owner. */
export const indexPlanOf = (schema: ObjectSchema): IndexPlan => {
  const known = plans.get(schema);
  if (known !== undefined) return known;
  const indexes = Object.values(schema.properties).flatMap(describe);
  const fingerprint = createHash("sha256").update(JSON.stringify(indexes)).digest("base64url").slice(0, 16);
  const plan = { indexes, fingerprint };
  plans.set(schema, plan);
  return plan;
};

const dropStale = async (target: Target, plan: IndexPlan): Promise<void> => {
  const collection = collectionOf(target);
  const wanted = new Set(plan.indexes.map(({ name }) => name));
  for (const { name } of await collection.listIndexes().toArray()) {
    if (typeof name === "string" && name.startsWith(PREFIX) && !wanted.has(name)) await collection.dropIndex(name);
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

const fieldOfIndex = (message: string): string | undefined => /tenantry_unique_(\w+)/.exec(message)?.[1];

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
    const field = fieldOfIndex(String(cause)) ?? "a field";
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
  return { field: fieldOfIndex(`${first?.errmsg ?? ""} ${message}`), index: first?.index };
};
