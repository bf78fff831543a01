/**
 * Renames of records, which the references to them follow. The transaction of a rename stores a pending rename. After
 * the commit the same request propagates the name, within limits. What is left is finished later (docs/decisions/0029).
 */
import type { ClientSession, Filter } from "mongodb";
import { v7 as uuidv7 } from "uuid";
import type { PendingReference } from "#shared/data/schema/schema";
import { invokeLater } from "#shared/foundation/aws/functions";
import { now, nowMillis } from "#shared/foundation/clock";
import { log } from "#shared/foundation/log";
import { openWithState, type PendingRename, type Tenant } from "#shared/tenant/tenant";
import type { RecordChange } from "../recorded-changes.ts";
import { referenceNameOf, type StoredRecord } from "../stored-record.ts";
import type { Target } from "../target.ts";
import {
  type Budget,
  budgetOf,
  isSpent,
  propagate,
  type RenameLimits,
  type RenamingTenant,
  renamesOf,
} from "./propagate.ts";

export { referencesIn, type StoredReference } from "./places.ts";

/** For one request. */
const requestLimits: RenameLimits = { milliseconds: 8_000, records: 20_000 };

/** Pending renames that are read at once. */
const MOST_PENDING = 500;

/** A pending rename that is older than this is left from a request that has ended. */
const OWN_TIME_MS = 30_000;

type Renamed = Pick<PendingRename, "object" | "record_id" | "name">;

const idOf = ({ object, record_id }: Pick<Renamed, "object" | "record_id">): string => `${object}/${record_id}`;

/** There is one document for each renamed record, so that of several renames the newest name is the one that is left. */
const storePending = async (
  tenant: Pick<Tenant, "collection">,
  renamed: readonly Renamed[],
  session: ClientSession,
): Promise<void> => {
  const operations = renamed.map((rename) => ({
    updateOne: {
      filter: { _id: idOf(rename) },
      update: { $set: { ...rename, version: uuidv7(), renamed_at: now() } },
      upsert: true,
    },
  }));
  if (operations.length > 0) await renamesOf(tenant).bulkWrite(operations, { session });
};

/** The ids of the pending renames of a write. Called in its transaction. */
export const noteRenames = async (
  { tenant, object }: Target,
  written: readonly RecordChange[],
  session: ClientSession,
): Promise<string[]> => {
  const renamed = written.flatMap(({ before, after }): Renamed[] => {
    if (before === null || after === null) return [];
    const name = referenceNameOf(after);
    return name === referenceNameOf(before) ? [] : [{ object, record_id: after._id, name }];
  });
  await storePending(tenant, renamed, session);
  return renamed.map(idOf);
};

/** Propagates these renames. False when the budget is spent. */
const propagateAll = async (
  tenant: RenamingTenant,
  pending: readonly PendingRename[],
  budget: Budget,
): Promise<boolean> => {
  for (const [object, some] of Map.groupBy(pending, (rename) => rename.object))
    if (!(await propagate(tenant, object, some, budget))) return false;
  return true;
};

/** Propagates all pending renames that match. Whether none is left. */
const finishWithin = async (
  tenant: RenamingTenant,
  budget: Budget,
  match: Filter<PendingRename> = {},
): Promise<boolean> => {
  const seen = new Set<string>();
  while (!isSpent(budget)) {
    const pending = await renamesOf(tenant).find(match).sort({ renamed_at: 1 }).limit(MOST_PENDING).toArray();
    // Those that were seen before are superseded, and another request propagates them.
    const fresh = pending.filter(({ version }) => !seen.has(version));
    if (fresh.length === 0) return pending.length === 0;
    for (const { version } of fresh) seen.add(version);
    if (!(await propagateAll(tenant, fresh, budget))) return false;
  }
  return false;
};

/**
 * Finishes the renames of an organization that are pending because a limit was reached or a process died. Whether none
 * is left. Idempotent, also when run concurrently.
 */
export const finishRenames = (tenant: RenamingTenant, limits: RenameLimits = requestLimits): Promise<boolean> =>
  finishWithin(tenant, budgetOf(limits));

/** For one invocation of the operation, which may run for 15 minutes. */
const operationLimits: RenameLimits = { milliseconds: 12 * 60_000, records: Number.POSITIVE_INFINITY };

/** As an operation. Raises an error if renames are left, so that Lambda delivers the event again. */
export const finishRenamesOf = async (
  organizationId: string,
): Promise<{ outcome: "finished" | "unknown_organization" }> => {
  const organization = await openWithState(organizationId);
  if (organization === null) return { outcome: "unknown_organization" };
  const { database, state } = organization;
  if (await finishRenames({ ...database, state }, operationLimits)) return { outcome: "finished" };
  throw new Error("Renames are left: more records refer to the renamed ones than can be changed in 12 minutes.");
};

/**
 * After the commit: propagates the renames with these ids first, then earlier ones that are left. What is more than a
 * request may do is left to the operation `finish-renames`. The rename itself has succeeded, so errors are logged and not
 * raised; the names follow with a later rename.
 */
export const propagateRenames = async (tenant: RenamingTenant, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return;
  const organization = tenant.organization_id;
  try {
    const budget = budgetOf(requestLimits);
    const own = await renamesOf(tenant)
      .find({ _id: { $in: [...ids] } })
      .toArray();
    // Newer ones are being propagated by the requests that made them.
    const left = { renamed_at: { $lt: new Date(nowMillis() - OWN_TIME_MS) } };
    const done = (await propagateAll(tenant, own, budget)) && (await finishWithin(tenant, budget, left));
    if (done) return;
    log.info({ organization, renames: ids.length }, "renames are pending: the limits of a request are reached");
    await invokeLater("finish-renames", { organization_id: organization });
  } catch (err) {
    log.error({ organization, renames: ids.length, err }, "renames are pending: they could not be propagated");
  }
};

/** The targets whose current names are not those in the references, as renames to be propagated. */
const outdatedTargets = async (
  tenant: Pick<Tenant, "collection">,
  references: readonly PendingReference["reference"][],
  session?: ClientSession,
): Promise<Renamed[]> => {
  const found: Renamed[] = [];
  for (const [object, some] of Map.groupBy(references, ({ schema }) => schema)) {
    const ids = [...new Set(some.map(({ id }) => id))];
    const records = await tenant
      .collection<StoredRecord>(object)
      .find({ _id: { $in: ids } }, { projection: { name: 1 }, ...(session && { session }) })
      .toArray();
    for (const record of records) {
      const name = referenceNameOf(record);
      const isOutdated = some.some((reference) => reference.id === record._id && reference.name !== name);
      if (isOutdated) found.push({ object, record_id: record._id, name });
    }
  }
  return found;
};

/**
 * After the commit of records with references: a target may have been renamed after its name was read, and its rename
 * may have looked for references before these were committed. Then its name is propagated once more.
 */
export const confirmNames = async (
  tenant: RenamingTenant,
  references: readonly PendingReference["reference"][],
): Promise<void> => {
  if (references.length === 0) return;
  try {
    if ((await outdatedTargets(tenant, references)).length === 0) return;
    const renamed = await tenant.transaction(async (session) => {
      const outdated = await outdatedTargets(tenant, references, session);
      await storePending(tenant, outdated, session);
      return outdated;
    });
    await propagateRenames(tenant, renamed.map(idOf));
  } catch (err) {
    log.error({ organization: tenant.organization_id, err }, "the names in new references could not be confirmed");
  }
};
