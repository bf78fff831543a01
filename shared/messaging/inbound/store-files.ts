import { v5 as uuidv5 } from "uuid";
import { LARGEST_FILE } from "#contracts/documents";
import { storeAttachment } from "#shared/documents/documents";
import { Fault } from "#shared/foundation/faults";
import type { RecordReference, TenantDatabase } from "#shared/tenant/tenant";
import { dangerOf } from "./files.ts";
import { mailLimits } from "./mail-limits.ts";
import type { MailFile } from "./parsed-mail.ts";

/** An entry of the field `attachments`. */
export interface MailAttachment {
  readonly document?: string;
  readonly filename: string;
  readonly type: string;
  readonly size: number;
  readonly disposition: string;
  readonly content_id?: string;
  /** Why there is no document. */
  readonly refused?: string;
}

interface Owning {
  /** The mail's record. */
  readonly record: RecordReference;
  readonly owner: RecordReference;
}

/** Faults that say that a file cannot be stored. All others are the platform's. */
const refusals: ReadonlySet<string> = new Set(["unsupported_media_type", "validation_failed", "storage_full"]);

const refusalOf = (error: unknown): string => {
  if (!(error instanceof Fault) || !refusals.has(error.code)) throw error;
  return error.issues[0]?.msg ?? error.message;
};

const beforehand = (file: MailFile, index: number): string | undefined => {
  if (index >= mailLimits.attachments) return `A mail may have ${mailLimits.attachments} attachments.`;
  if (file.content.length > LARGEST_FILE) return `A file may have at most ${LARGEST_FILE} bytes.`;
  return dangerOf(file);
};

/** Stores a file as a document. Its id follows from the mail's, so that a repetition stores nothing twice. */
const storeOne = async (
  database: TenantDatabase,
  file: MailFile,
  index: number,
  { record, owner }: Owning,
): Promise<Pick<MailAttachment, "document" | "refused"> & { readonly filename?: string; readonly type?: string }> => {
  const refused = beforehand(file, index);
  if (refused !== undefined) return { refused };
  const id = uuidv5(String(index), record.id);
  try {
    const { name, type } = await storeAttachment(database, {
      id,
      bytes: file.content,
      name: file.filename,
      related_to: record,
      owner,
    });
    return { document: id, filename: name, type };
  } catch (error) {
    return { refused: refusalOf(error) };
  }
};

/** Entries of one mail that are recorded. */
const MOST_ENTRIES = 200;

/** Stores the files of a mail that may be stored. The others are noted with the reason. */
export const storeFiles = async (
  database: TenantDatabase,
  files: readonly MailFile[],
  owning: Owning,
): Promise<MailAttachment[]> => {
  const entries: MailAttachment[] = [];
  for (const [index, file] of files.slice(0, MOST_ENTRIES).entries()) {
    const { filename, type, disposition, content_id, content } = file;
    const facts = {
      filename,
      type,
      size: content.length,
      disposition,
      ...(content_id !== undefined && { content_id }),
    };
    entries.push({ ...facts, ...(await storeOne(database, file, index, owning)) });
  }
  return entries;
};
