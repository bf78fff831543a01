import { boundedCache } from "#shared/foundation/bounded-cache";
import { log } from "#shared/foundation/log";
import {
  askForMigration,
  copyKeyOf,
  type OrganizationState,
  STATE_COLLECTION,
  type TenantDatabase,
} from "#shared/tenant/tenant";
import { settleFirst } from "./build-indexes.ts";

/** Objects of copies of organizations whose indexes are there, or are the business of the migrations. */
const known = boundedCache<object>({ mostBytes: 1024 * 1024, bytesOf: () => 80 });

/** Stands for a plan that nothing was built of. */
const NONE = "none";

/**
 * The indexes of an object whose records the platform writes by itself, before the first one is written: no write of a
 * caller makes them. One read for each object, copy and environment; none afterwards. A collection that is large already
 * is left to the migrations. It never raises.
 */
export const ensureFirstIndexes = async (tenant: TenantDatabase, object: string): Promise<void> => {
  const { organization_id: _id, collection } = tenant;
  const key = `${copyKeyOf(tenant)} ${object}`;
  if (known.get(key) !== undefined) return;
  const field = `indexed.${object}`;
  const states = collection<OrganizationState>(STATE_COLLECTION);
  try {
    const state = await states.findOne({ _id }, { projection: { [field]: 1 } });
    const isThere = state?.indexed?.[object] !== undefined;
    const outcome = isThere ? "settled" : await settleFirst(tenant, object);
    // Another one builds them: it may fail, so that this is asked again.
    if (outcome === "busy") return;
    if (outcome === "unbuilt") {
      await states.updateOne({ _id, [field]: { $exists: false } }, { $set: { [field]: NONE } });
      await askForMigration(_id);
    }
    known.set(key, {});
  } catch (error) {
    log.error({ organization: _id, object, err: error }, "the first indexes of an object were not made");
  }
};
