import { v7 as uuidv7 } from "uuid";
import { DOCUMENT } from "#shared/data/records/files/files";
import type { ApiRecord } from "#shared/data/records/records";
import { type RecordHooks, recordWriter } from "#shared/data/records/writer/writer";
import { log } from "#shared/foundation/log";
import type { Tenant } from "#shared/tenant/tenant";
import { confirmFile, fileFact, storeFile } from "./stored-file.ts";

interface Upload {
  readonly name: string;
  /** `<object>/<id>`. */
  readonly related_to?: string | undefined;
  readonly bytes: Uint8Array;
}

const referenceOf = (related: string) => {
  const slash = related.indexOf("/");
  return { schema: related.slice(0, slash), id: related.slice(slash + 1) };
};

/**
 * Stores a file as a document of the caller. Raises `unsupported_media_type`, `storage_full`, and what creating a
 * record raises.
 */
export const uploadDocument = async (
  tenant: Tenant,
  hooks: RecordHooks,
  { name, related_to, bytes }: Upload,
): Promise<ApiRecord> => {
  const id = uuidv7();
  const file = fileFact(tenant, id, bytes, name);
  const data = { name: file.name, ...(related_to !== undefined && { related_to: referenceOf(related_to) }) };
  const written = await recordWriter(tenant, hooks).create(DOCUMENT, data, {
    id,
    fields: { file },
    prepare: () => storeFile(tenant, id, file, bytes),
  });
  try {
    await confirmFile(file);
  } catch (error) {
    log.warn({ organization: tenant.organization_id, err: error }, "an upload is looked at again by the job");
  }
  const [document = { id }] = written.records;
  return document;
};
