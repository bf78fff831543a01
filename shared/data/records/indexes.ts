import { fieldOfUniqueIndex, indexPlanOf, isWithoutRecords, type ObjectSchema } from "#shared/data/schema/schema";
import { invokeLater } from "#shared/foundation/aws/functions";
import { isDuplicateKey } from "#shared/foundation/duplicate-key";
import { log } from "#shared/foundation/log";
import { askForMigration, type OrganizationState, STATE_COLLECTION } from "#shared/tenant/tenant";
import { collectionOf } from "./stored-record.ts";
import type { Target } from "./target.ts";

/** Records the plan, unless the schema has changed meanwhile. */
const noteIndexed = async ({ tenant, object }: Target, fingerprint: string): Promise<void> => {
  await tenant
    .collection<OrganizationState>(STATE_COLLECTION)
    .updateOne(
      { _id: tenant.organization_id, schema_version: tenant.state.schema_version },
      { $set: { [`indexed.${object}`]: fingerprint } },
    );
};

/** Schemas whose collections hold records. The cache of schemas has one for each version of the model. */
const withRecords = new WeakSet<ObjectSchema>();

/**
 * The indexes of an object that had others before are built by the migrations, so that a release does not start a build
 * for every organization at once. Others have records that were not written by a request, such as the first users.
 */
const askForIndexes = async ({ tenant: { organization_id, state }, object }: Target): Promise<void> => {
  await askForMigration(organization_id);
  if (state.indexed?.[object] !== undefined) return;
  try {
    await invokeLater("build-indexes", { organization_id, object });
  } catch (error) {
    log.error({ organization: organization_id, object, err: error }, "the indexes of an object were not asked for");
  }
};

/**
 * Creates the indexes of an object before its first record is written. A collection with records is left to
 * `buildIndexes`, because a request is too short for it. The organization state remembers the plan, so that a second
 * call needs no command. Idempotent, also when run concurrently.
 */
export const ensureIndexes = async (target: Target): Promise<void> => {
  const { tenant, object, schema } = target;
  const plan = indexPlanOf(schema);
  if (tenant.state.indexed?.[object] === plan.fingerprint || withRecords.has(schema)) return;
  if (!(await isWithoutRecords(tenant, object))) {
    withRecords.add(schema);
    await askForIndexes(target);
    return;
  }
  await collectionOf(target).createIndexes([...plan.indexes]);
  await noteIndexed(target, plan.fingerprint);
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
