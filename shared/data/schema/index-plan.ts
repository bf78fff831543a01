import { createHash } from "node:crypto";
import type { IndexDescription } from "mongodb";
import { READERS_FIELD } from "#shared/tenant/tenant";
import { fieldIndexOf } from "./field-index.ts";
import type { Field, ObjectSchema } from "./object-schema.ts";
import { hasOwners } from "./ownership.ts";

/** Tells these indexes from those that operators add by hand. */
export const INDEX_PREFIX = "tenantry_";
const UNIQUE = `${INDEX_PREFIX}unique_`;

/** With `_id` last, the index also serves sorting with the id as a tie-breaker. */
const ascending = (path: string): IndexDescription => ({
  key: { [path]: 1, _id: 1 },
  name: `${INDEX_PREFIX}${path}+id`,
});

/** The name encodes the whole definition, so that two definitions never share a name. */
const describe = (field: Field): IndexDescription[] => {
  const index = fieldIndexOf(field);
  if (index === null) return [];
  const { path, unique } = index;
  if (!unique) return [ascending(path)];
  // Records without a value are no duplicates of each other.
  const partialFilterExpression = { [path]: { $exists: true } };
  return [{ key: { [path]: 1 }, name: `${UNIQUE}${path}`, unique: true, partialFilterExpression }];
};

/** Undefined for a field without an index. */
export const indexNameOf = (field: Field): string | undefined => describe(field)[0]?.name;

export interface IndexPlan {
  readonly indexes: readonly IndexDescription[];
  readonly fingerprint: string;
}

const plans = new WeakMap<ObjectSchema, IndexPlan>();

/** The indexes of a schema: unique and indexed fields, references by id, system dates, owner and readers. */
export const indexPlanOf = (schema: ObjectSchema): IndexPlan => {
  const known = plans.get(schema);
  if (known !== undefined) return known;
  const readers = hasOwners(schema) ? [ascending(READERS_FIELD)] : [];
  const indexes = [...Object.values(schema.properties).flatMap(describe), ...readers];
  const fingerprint = createHash("sha256").update(JSON.stringify(indexes)).digest("base64url").slice(0, 16);
  const plan = { indexes, fingerprint };
  plans.set(schema, plan);
  return plan;
};

/** The field of a unique index that a message of the database names. */
export const fieldOfUniqueIndex = (message: string): string | undefined => /tenantry_unique_(\w+)/.exec(message)?.[1];
