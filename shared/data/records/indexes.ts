import { createHash } from "node:crypto";
import type { IndexDescription } from "mongodb";
import { type Field, fieldIndexOf, type ObjectSchema } from "#shared/data/schema/schema";
import { isDuplicateKey } from "#shared/foundation/duplicate-key";
import { Fault } from "#shared/foundation/faults";
import { log } from "#shared/foundation/log";
import { type OrganizationState, STATE_COLLECTION } from "#shared/tenant/tenant";
import { collectionOf } from "./stored-record.ts";
import type { Target } from "./target.ts";

/** The prefix keeps our indexes apart from those that an operator adds by hand. */
const PREFIX = "tenantry_";
const UNIQUE = `${PREFIX}unique_`;

/** The name says all of what an index is, so that one name never means two indexes. */
const describe = (field: Field): IndexDescription[] => {
  const index = fieldIndexOf(field);
  if (index === null) return [];
  const { path, unique } = index;
  // With the id behind it, an index also gives records of equal values, and whole lists, in their order.
  if (!unique) return [{ key: { [path]: 1, _id: 1 }, name: `${PREFIX}${path}+id` }];
  // No value is no duplicate.
  const partialFilterExpression = { [path]: { $exists: true } };
  return [{ key: { [path]: 1 }, name: `${UNIQUE}${path}`, unique: true, partialFilterExpression }];
};

export interface IndexPlan {
  readonly indexes: readonly IndexDescription[];
  readonly fingerprint: string;
}

const plans = new WeakMap<ObjectSchema, IndexPlan>();

/** The indexes that a schema asks for: unique and indexed fields, lookups by id, the dates and the owner. */
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

/** Only for the schema that still is the organization's: a newer one may ask for other indexes by now. */
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
 * Gives the object's collection the indexes of its schema before it is written to. Where that was done for this very
 * schema, the organization's state says so and nothing is asked of the database. Idempotent, also when done at once
 * by several. Raises `duplicate_value` if records that exist already break a unique field.
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

/** What a unique index refused, as far as the error says, or undefined for any other error. */
export interface DuplicateKey {
  readonly field: string | undefined;
  /** Which of the batch, counted from 0. */
  readonly index: number | undefined;
}

export const duplicateKey = (error: unknown): DuplicateKey | undefined => {
  if (!isDuplicateKey(error)) return undefined;
  const { message, writeErrors }: Error & { readonly writeErrors?: unknown } = error;
  const [first]: { index?: number; errmsg?: string }[] = Array.isArray(writeErrors) ? writeErrors : [];
  return { field: fieldOfIndex(`${first?.errmsg ?? ""} ${message}`), index: first?.index };
};
