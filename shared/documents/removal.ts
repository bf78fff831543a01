import type { Document } from "mongodb";
import { DOCUMENT } from "#shared/data/records/files/files";
import { deleteFiles, listFiles } from "#shared/foundation/aws/s3";
import { now, nowMillis } from "#shared/foundation/clock";
import { log } from "#shared/foundation/log";
import { base, type FileSweep, openOrganization, type TenantDatabase } from "#shared/tenant/tenant";
import { filesOf, keyOf } from "./stored-file.ts";

/** Much longer than a request takes that writes a document after its file. */
const PATIENCE_MS = 10 * 60_000;
/** Milliseconds that the job needs to end. */
const RESERVE_MS = 10_000;
/** Notes of uploads that are looked at together. */
const BATCH = 200;

/** Deletes the files of deleted documents. Repeatable. */
export const removeFiles = (
  database: Pick<TenantDatabase, "organization_id">,
  documents: readonly string[],
): Promise<void> => deleteFiles(documents.map((id) => keyOf(database, id)));

/** Lets the job delete the files of an organization whose documents are gone. Called before they go. Repeatable. */
export const leaveFiles = async (organizationId: string): Promise<void> => {
  const { fileSweeps } = await base();
  const noted = { organization_id: organizationId, at: now() };
  await fileSweeps.updateOne({ _id: organizationId }, { $set: noted }, { upsert: true });
};

/** Of these documents, those that exist. None if the organization does not exist any more. */
const existing = async (organizationId: string, ids: readonly string[]): Promise<ReadonlySet<string>> => {
  const database = await openOrganization(organizationId);
  if (database === null) return new Set();
  const found = await database
    .collection<Document & { _id: string }>(DOCUMENT)
    .find({ _id: { $in: [...ids] } }, { projection: { _id: 1 } })
    .toArray();
  return new Set(found.map(({ _id }) => _id));
};

const sweepUploads = async (organizationId: string, noted: readonly FileSweep[]): Promise<number> => {
  const ids = noted.flatMap(({ document_id }) => document_id ?? []);
  const kept = await existing(organizationId, ids);
  const lost = noted.filter(({ document_id }) => document_id !== undefined && !kept.has(document_id));
  await deleteFiles(lost.map(({ _id }) => _id));
  const { fileSweeps } = await base();
  await fileSweeps.deleteMany({ _id: { $in: noted.map(({ _id }) => _id) } });
  return lost.length;
};

/**
 * Deletes the files without a document, but for those whose document may still be written. The note stays as long as
 * there are such files.
 */
const sweepOrganization = async ({ _id, organization_id, at }: FileSweep): Promise<number> => {
  const { fileSweeps, organizations } = await base();
  const isKnown = (await organizations.findOne({ _id: organization_id }, { projection: { _id: 1 } })) !== null;
  const prefix = filesOf(organization_id);
  const idOf = (key: string): string => key.slice(prefix.length);
  let deleted = 0;
  let isDone = true;
  for await (const page of listFiles(prefix)) {
    const before = isKnown ? nowMillis() - PATIENCE_MS : Number.POSITIVE_INFINITY;
    const ids = page.map(({ key }) => idOf(key));
    const kept = isKnown ? await existing(organization_id, ids) : new Set<string>();
    const without = page.filter(({ key }) => !kept.has(idOf(key)));
    const lost = without.flatMap(({ key, storedAt }) => (storedAt.getTime() <= before ? [key] : []));
    if (lost.length < without.length) isDone = false;
    await deleteFiles(lost);
    deleted += lost.length;
  }
  // Otherwise nothing would lead to the young files any more.
  if (isDone) await fileSweeps.deleteOne({ _id, at });
  return deleted;
};

interface Sweep {
  uploads: number;
  organizations: number;
  deleted: number;
  failed: number;
}

/** Deletes files that no document has, as far as the time allows. */
export const sweepFiles = async (remaining: () => number): Promise<Sweep> => {
  const counts: Sweep = { uploads: 0, organizations: 0, deleted: 0, failed: 0 };
  const { fileSweeps } = await base();
  const due = { at: { $lte: new Date(nowMillis() - PATIENCE_MS) } };
  const attempt = async (organizationId: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      counts.failed += 1;
      log.error({ organization: organizationId, err: error }, "files were not swept");
    }
  };
  const failed = new Set<string>();
  while (remaining() > RESERVE_MS) {
    const uploads = await fileSweeps
      .find({ ...due, document_id: { $exists: true }, organization_id: { $nin: [...failed] } })
      .limit(BATCH)
      .toArray();
    if (uploads.length === 0) break;
    for (const [organizationId, noted] of Map.groupBy(uploads, ({ organization_id }) => organization_id)) {
      failed.add(organizationId);
      await attempt(organizationId, async () => {
        const lost = await sweepUploads(organizationId, noted);
        counts.uploads += lost;
        counts.deleted += lost;
        failed.delete(organizationId);
      });
    }
  }
  const organizations = fileSweeps.find({ ...due, document_id: { $exists: false } }).sort({ at: 1 });
  for await (const noted of organizations) {
    if (remaining() < RESERVE_MS) break;
    await attempt(noted.organization_id, async () => {
      counts.deleted += await sweepOrganization(noted);
      counts.organizations += 1;
    });
  }
  return counts;
};
