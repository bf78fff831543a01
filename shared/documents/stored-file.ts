import { createHash } from "node:crypto";
import { LARGEST_FILE } from "#contracts/documents";
import { getFile, putFile } from "#shared/foundation/aws/s3";
import { now } from "#shared/foundation/clock";
import { isObject } from "#shared/foundation/is-object";
import { base, type TenantDatabase } from "#shared/tenant/tenant";
import { cleanFileName } from "./file-name.ts";
import { fileTypeOf, withEnding } from "./file-type.ts";

/** The field `file` of a document. */
export interface FileFact {
  readonly key: string;
  readonly name: string;
  readonly type: string;
  /** In bytes. */
  readonly size: number;
  /** In hexadecimal. */
  readonly sha256: string;
}

/** The prefix of all files of an organization's documents. */
export const filesOf = (organizationId: string): string => `documents/${organizationId}/`;

/** Made of the organization that the request is in, so that no other key can be asked for. */
export const keyOf = ({ organization_id }: Pick<TenantDatabase, "organization_id">, documentId: string): string =>
  `${filesOf(organization_id)}${documentId}`;

/** What a document says of its file. Raises `unsupported_media_type` and `validation_failed`. */
export const fileFact = (
  database: Pick<TenantDatabase, "organization_id">,
  id: string,
  bytes: Uint8Array,
  givenName: string,
): FileFact => {
  const cleaned = cleanFileName(givenName);
  const type = fileTypeOf(bytes, cleaned);
  return {
    key: keyOf(database, id),
    name: withEnding(cleaned, type),
    type,
    size: bytes.byteLength,
    sha256: createHash("sha256").update(bytes).digest("hex"),
  };
};

/**
 * Stores the file of a document that is written afterwards. It is noted before, so that the job sweep-files deletes the
 * file if the document is not written.
 */
export const storeFile = async (
  { organization_id }: Pick<TenantDatabase, "organization_id">,
  documentId: string,
  { key, type }: FileFact,
  bytes: Uint8Array,
): Promise<void> => {
  const { fileSweeps } = await base();
  const noted = { organization_id, document_id: documentId, at: now() };
  await fileSweeps.updateOne({ _id: key }, { $set: noted }, { upsert: true });
  await putFile(key, bytes, { type });
};

/** After the document was written. What fails here is left to the job. */
export const confirmFile = async ({ key }: FileFact): Promise<void> => {
  const { fileSweeps } = await base();
  await fileSweeps.deleteOne({ _id: key });
};

/** The facts of a document's file; null if it has none. */
export const factOf = (record: Readonly<Record<string, unknown>>): Omit<FileFact, "key"> | null => {
  const { file } = record;
  if (!isObject(file)) return null;
  const { name, type, size, sha256 } = file;
  if (typeof name !== "string" || typeof type !== "string" || typeof size !== "number") return null;
  return { name, type, size, sha256: String(sha256) };
};

/** The bytes of a document's file. An Error if it is gone: the record says that there is one. */
export const readFile = async (
  database: Pick<TenantDatabase, "organization_id">,
  documentId: string,
): Promise<Uint8Array> => {
  const key = keyOf(database, documentId);
  const bytes = await getFile(key, { max: LARGEST_FILE });
  if (bytes === undefined) throw new Error(`The file ${key} of a document does not exist.`);
  return bytes;
};
