import type { Document } from "mongodb";
import { countFiles, DOCUMENT } from "#shared/data/records/files/files";
import { records } from "#shared/data/records/records";
import { now } from "#shared/foundation/clock";
import { isDuplicateKey } from "#shared/foundation/duplicate-key";
import { Fault } from "#shared/foundation/faults";
import { newRecord, PLATFORM, type Tenant, type TenantDatabase } from "#shared/tenant/tenant";
import { confirmFile, factOf, fileFact, readFile, storeFile } from "./stored-file.ts";

type StoredDocument = Document & { _id: string };

/** The file of a document, with its bytes. */
interface Attachment {
  /** The id of the document. */
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly size: number;
  readonly bytes: Uint8Array;
}

const withoutFile = (id: string): Fault =>
  new Fault("record_not_found", { message: `The document ${id} has no file, or you may not see it.` });

/** A document's file without its bytes, within the caller's access. Raises `record_not_found` and `forbidden`. */
export const describeAttachment = async (tenant: Tenant, id: string): Promise<Omit<Attachment, "bytes">> => {
  const file = factOf(await records(tenant).get(DOCUMENT, id));
  if (file === null) throw withoutFile(id);
  return { id, name: file.name, type: file.type, size: file.size };
};

/** A document's file, within the caller's access at this moment. Raises `record_not_found` and `forbidden`. */
export const readAttachment = async (tenant: Tenant, id: string): Promise<Attachment> => {
  const described = await describeAttachment(tenant, id);
  return { ...described, bytes: await readFile(tenant, id) };
};

/** For workers, which act for no caller: the access was checked when the message was accepted. Null if it is gone. */
export const readStoredAttachment = async (
  database: Pick<TenantDatabase, "organization_id" | "collection">,
  id: string,
): Promise<Attachment | null> => {
  const found = await database.collection<StoredDocument>(DOCUMENT).findOne({ _id: id }, { projection: { file: 1 } });
  const file = found && factOf(found);
  if (!file) return null;
  return { id, name: file.name, type: file.type, size: file.size, bytes: await readFile(database, id) };
};

interface NewAttachment {
  /** Of the document. The same one for every attempt, so that a repetition stores nothing twice. */
  readonly id: string;
  readonly bytes: Uint8Array;
  readonly name: string;
  /** A reference `{id, schema, name}`. */
  readonly related_to?: { readonly id: string; readonly schema: string; readonly name: string | null } | undefined;
  readonly owner?: { readonly id: string; readonly schema: string; readonly name: string } | undefined;
}

/**
 * Stores a file that the platform has received as a document, once for each id. Raises `unsupported_media_type` for a
 * type that is not allowed, `validation_failed` for an empty file, and `storage_full`.
 */
export const storeAttachment = async (
  database: Pick<TenantDatabase, "organization_id" | "collection" | "transaction">,
  { id, bytes, name, related_to, owner }: NewAttachment,
): Promise<Omit<Attachment, "bytes">> => {
  const file = fileFact(database, id, bytes, name);
  const described = { id, name: file.name, type: file.type, size: file.size };
  const documents = database.collection<StoredDocument>(DOCUMENT);
  if ((await documents.findOne({ _id: id }, { projection: { _id: 1 } })) !== null) return described;
  await storeFile(database, id, file, bytes);
  const fields = { name: file.name, status: "draft", file, ...(related_to && { related_to }) };
  try {
    await database.transaction(async (session) => {
      const record = newRecord(id, fields, { by: PLATFORM, at: now(), ...(owner && { owner }) });
      await documents.insertOne(record, { session });
      await countFiles(database, session, { files: 1, bytes: file.size });
    });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
  await confirmFile(file);
  return described;
};
