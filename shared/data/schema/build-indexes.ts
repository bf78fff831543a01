import { isDeepStrictEqual } from "node:util";
import type { IndexDescription } from "mongodb";
import type { InvokeLater } from "#shared/foundation/aws/functions";
import { isDuplicateKey } from "#shared/foundation/duplicate-key";
import { log } from "#shared/foundation/log";
import { type OrganizationState, openWithState, STATE_COLLECTION, type TenantDatabase } from "#shared/tenant/tenant";
import { equalValues, equalValuesSentence } from "./equal-values.ts";
import { withIndexLease } from "./index-lease.ts";
import { fieldOfUniqueIndex, INDEX_PREFIX, type IndexPlan, indexPlanOf } from "./index-plan.ts";
import { isBuilding, withBuiltIndexes } from "./index-status.ts";
import {
  type ObjectSchema,
  resolveSchema,
  SCHEMAS_COLLECTION,
  type StoredSchema,
  storedSchema,
} from "./object-schema.ts";

type Database = Pick<TenantDatabase, "organization_id" | "collection" | "transaction">;

interface BuildOptions {
  /**
   * A request builds indexes only of a collection without records, which takes no time. An operation builds all, but
   * leaves a collection that does not exist to its first write. Before a first write all are built.
   */
  readonly by: "request" | "operation" | "first";
  /** Milliseconds to wait while somebody else works on the object's indexes. */
  readonly patience: number;
}

/** `unbuilt`: the collection has records, so that an operation must build. `busy`: somebody else builds. */
type BuildOutcome = "settled" | "unbuilt" | "busy";

/** https://www.mongodb.com/docs/manual/reference/error-codes/ */
const NAMESPACE_NOT_FOUND = 26;
const INDEX_NOT_FOUND = 27;

const hasCode = (error: unknown, code: number): boolean =>
  error instanceof Error && "code" in error && error.code === code;

const schemas = ({ collection }: Database) => collection<StoredSchema>(SCHEMAS_COLLECTION);

const existingIndexes = async ({ collection }: Database, object: string): Promise<string[]> => {
  try {
    return (await collection(object).listIndexes().toArray()).map(({ name }) => String(name));
  } catch (error) {
    if (hasCode(error, NAMESPACE_NOT_FOUND)) return [];
    throw error;
  }
};

/** Whether no record of the object is stored. */
export const isWithoutRecords = async (
  { collection }: Pick<Database, "collection">,
  object: string,
): Promise<boolean> => (await collection(object).findOne({}, { projection: { _id: 1 } })) === null;

const dropStale = async ({ collection }: Database, object: string, stale: readonly string[]): Promise<void> => {
  for (const name of stale) {
    try {
      await collection(object).dropIndex(name);
    } catch (error) {
      if (!hasCode(error, INDEX_NOT_FOUND)) throw error;
    }
  }
};

/** Field → why its unique index cannot be built. */
const create = async (
  database: Database,
  { api_name: object, properties }: ObjectSchema,
  missing: readonly IndexDescription[],
): Promise<Map<string, string>> => {
  const failures = new Map<string, string>();
  const collection = database.collection(object);
  const ordinary = missing.filter(({ unique }) => unique !== true);
  if (ordinary.length > 0) await collection.createIndexes([...ordinary]);
  for (const index of missing.filter(({ unique }) => unique === true)) {
    try {
      await collection.createIndexes([index]);
    } catch (error) {
      const name = fieldOfUniqueIndex(index.name ?? "");
      const field = name === undefined ? undefined : properties[name];
      if (!isDuplicateKey(error) || field === undefined) throw error;
      const reason = equalValuesSentence(object, field, await equalValues(database, object, field));
      failures.set(field.api_name, reason);
      log.warn({ organization: database.organization_id, object, field: field.api_name }, "an index cannot be unique");
    }
  }
  return failures;
};

interface Built {
  readonly plan: IndexPlan;
  /** Field → reason. */
  readonly failures: ReadonlyMap<string, string>;
  /** False for a collection that does not exist yet. */
  readonly isStored: boolean;
}

/** Records what was built. False if the object's plan has changed meanwhile. */
const note = (database: Database, object: string, { plan, failures, isStored }: Built): Promise<boolean> =>
  database.transaction(async (session) => {
    const document = await schemas(database).findOne({ api_name: object }, { session });
    if (document === null) return true;
    const before = resolveSchema(document);
    if (indexPlanOf(before).fingerprint !== plan.fingerprint) return false;
    const after = withBuiltIndexes(before, failures);
    const isChanged = !isDeepStrictEqual(before, after);
    if (isChanged) {
      const { _id, ...changed } = storedSchema(after);
      await schemas(database).replaceOne({ _id: before.id }, changed, { session });
    }
    if (!isChanged && !isStored) return true;
    const update = {
      ...(isStored && { $set: { [`indexed.${object}`]: plan.fingerprint } }),
      ...(isChanged && { $inc: { schema_version: 1 } }),
    };
    const states = database.collection<OrganizationState>(STATE_COLLECTION);
    await states.updateOne({ _id: database.organization_id }, update, { session });
    return true;
  });

/** Undefined if the object's plan has changed meanwhile. */
const attempt = async (
  database: Database,
  object: string,
  by: BuildOptions["by"],
): Promise<BuildOutcome | undefined> => {
  const document = await schemas(database).findOne({ api_name: object });
  if (document === null) return "settled";
  const schema = resolveSchema(document);
  const plan = indexPlanOf(schema);
  const existing = await existingIndexes(database, object);
  const wanted = new Set(plan.indexes.map(({ name }) => name));
  const stale = existing.filter((name) => name.startsWith(INDEX_PREFIX) && !wanted.has(name));
  await dropStale(database, object, stale);
  const missing = plan.indexes.filter(({ name = "" }) => !existing.includes(name));
  const isEmpty = missing.length > 0 && (await isWithoutRecords(database, object));
  if (missing.length > 0 && by === "request" && !isEmpty) return "unbuilt";
  const isStored = by !== "operation" || existing.length > 0 || !isEmpty;
  const failures = isStored ? await create(database, schema, missing) : new Map<string, string>();
  return (await note(database, object, { plan, failures, isStored })) ? "settled" : undefined;
};

/**
 * Brings the indexes of an object's collection to the plan of its stored schema: builds what is missing, drops what the
 * plan does not have, and sets `index_status`. Repeatable, also after a kill. A collection without records has all
 * indexes at once. If the plan changes meanwhile, the new one counts.
 */
const buildIndexes = async (database: Database, object: string, options: BuildOptions): Promise<BuildOutcome> =>
  (await withIndexLease(database, object, options.patience, async () => {
    for (;;) {
      const outcome = await attempt(database, object, options.by);
      if (outcome !== undefined) return outcome;
    }
  })) ?? "busy";

/**
 * Objects whose indexes are not as planned. Objects without any index are left to their first write, because an index
 * is a file of the cluster: organizations that only registered have none.
 */
export const unsettledIndexes = async (database: Database): Promise<string[]> => {
  const [documents, state] = await Promise.all([
    schemas(database).find({}).toArray(),
    database.collection<OrganizationState>(STATE_COLLECTION).findOne({ _id: database.organization_id }),
  ]);
  const indexed = state?.indexed ?? {};
  const isUnsettled = (schema: ObjectSchema): boolean => {
    const fingerprint = indexed[schema.api_name];
    return isBuilding(schema) || (fingerprint !== undefined && fingerprint !== indexPlanOf(schema).fingerprint);
  };
  return documents
    .map(resolveSchema)
    .filter(isUnsettled)
    .map(({ api_name }) => api_name);
};

/** Milliseconds that an operation waits for another build. */
const PATIENCE_MS = 90_000;

const build = async (database: Database, object: string): Promise<void> => {
  if ((await buildIndexes(database, object, { by: "operation", patience: PATIENCE_MS })) === "settled") return;
  throw new Error(`The indexes of "${object}" are being built by another process.`);
};

/** Brings the indexes of all objects to their plans, and gives the objects that were not. */
export const settleIndexes = async (database: Database): Promise<string[]> => {
  const objects = await unsettledIndexes(database);
  for (const object of objects) await build(database, object);
  return objects;
};

/** As an operation, of one object. Raises an error if another process builds them and does not end. */
export const buildIndexesOf = async (
  organizationId: string,
  object: string,
): Promise<{ outcome: "settled" | "unknown_organization" }> => {
  const organization = await openWithState(organizationId);
  if (organization === null) return { outcome: "unknown_organization" };
  await build(organization.database, object);
  return { outcome: "settled" };
};

/** Records whose indexes are built in no time. */
const FEW = 1_000;

/** Before records are written that no caller writes. Without waiting, and only of a collection with few records. */
export const settleFirst = async (database: Database, object: string): Promise<BuildOutcome> => {
  const some = await database
    .collection(object)
    .find({}, { projection: { _id: 1 } })
    .skip(FEW)
    .limit(1)
    .toArray();
  return some.length > 0 ? "unbuilt" : buildIndexes(database, object, { by: "first", patience: 0 });
};

/**
 * After a change of an object was committed: brings its indexes to the new plan, or invokes an operation that does.
 * It never raises: what is left is found by the next change of the object and by the next run of the migrations.
 */
export const settleChange = async (database: Database, object: string, later: InvokeLater): Promise<void> => {
  const { organization_id } = database;
  try {
    if ((await buildIndexes(database, object, { by: "request", patience: 0 })) === "settled") return;
    await later("build-indexes", { organization_id, object });
  } catch (error) {
    log.error({ organization: organization_id, object, err: error }, "the indexes of an object were not settled");
  }
};
