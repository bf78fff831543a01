import type { ClientSession } from "mongodb";
import { removeFiles } from "#contracts/document-files";
import { Fault } from "#shared/foundation/faults";
import { isObject } from "#shared/foundation/is-object";
import { addToOutbox, FILE_USE_COLLECTION, messageFor, type TenantDatabase } from "#shared/tenant/tenant";
import type { StoredRecord } from "../stored-record.ts";
import type { Target } from "../target.ts";

/** The object whose records have files. */
export const DOCUMENT = "document";

/** What one organization may have. */
const fileLimits = { files: 100_000, bytes: 50 * 1024 ** 3 } as const;

/** What the files of an organization take. One document of an internal collection. */
interface FileUse {
  _id: string;
  files: number;
  bytes: number;
}

/** The bytes of the file of a document; null if it has none. */
const bytesOf = (record: StoredRecord | null): number | null => {
  const file: unknown = record?.file;
  return isObject(file) && typeof file.size === "number" ? file.size : null;
};

/** Counts new files in the transaction that writes their documents. Raises `storage_full`. */
export const countFiles = async (
  { collection }: Pick<TenantDatabase, "collection">,
  session: ClientSession,
  change: { readonly files: number; readonly bytes: number },
): Promise<void> => {
  const after = await collection<FileUse>(FILE_USE_COLLECTION).findOneAndUpdate(
    { _id: DOCUMENT },
    { $inc: { files: change.files, bytes: change.bytes } },
    { session, upsert: true, returnDocument: "after" },
  );
  if (change.files <= 0 || after === null) return;
  if (after.files > fileLimits.files || after.bytes > fileLimits.bytes) throw new Fault("storage_full");
};

/**
 * What belongs to the writes of documents with files: they are counted, and the files of deleted ones are removed after the
 * commit. Does nothing for other objects. Raises `storage_full`.
 */
export const settleFiles = async (
  { object, tenant }: Target,
  written: readonly { readonly before: StoredRecord | null; readonly after: StoredRecord | null }[],
  session: ClientSession,
): Promise<void> => {
  if (object !== DOCUMENT) return;
  const change = { files: 0, bytes: 0 };
  const removed: string[] = [];
  for (const { before, after } of written) {
    const [had, has] = [bytesOf(before), bytesOf(after)];
    change.files += (has === null ? 0 : 1) - (had === null ? 0 : 1);
    change.bytes += (has ?? 0) - (had ?? 0);
    if (before !== null && after === null && had !== null) removed.push(before._id);
  }
  if (change.files === 0 && change.bytes === 0) return;
  await countFiles(tenant, session, change);
  if (removed.length > 0) await addToOutbox(tenant, session, [messageFor(removeFiles, { documents: removed })]);
};
