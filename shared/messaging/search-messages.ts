import type * as z from "zod";
import { foundEmail } from "#contracts/email-bodies";
import { accessOf } from "#shared/data/access/access";
import { runSearch } from "#shared/data/query/query";
import { type ApiRecord, records } from "#shared/data/records/records";
import { Fault } from "#shared/foundation/faults";
import type { Tenant } from "#shared/tenant/tenant";

const OBJECT = "email_message";

const columns = foundEmail.keyof().options;

/** A value of a row: moments are dates. */
const plain = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : (value ?? null));

interface Content {
  readonly _id: string;
  readonly body?: string;
  readonly text?: string;
}

interface SearchRequest {
  readonly query?: string | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/**
 * Emails that the caller may read, newest first. Fields that they may not read are null. Raises `forbidden`,
 * `validation_failed` with positions within the condition, and `too_many_queries`.
 */
export const searchMessages = async (
  tenant: Tenant,
  { query = "", limit = 100, cursor }: SearchRequest,
): Promise<{ messages: z.output<typeof foundEmail>[]; next_cursor?: string | undefined }> => {
  const access = await accessOf(tenant);
  if (!access.can(OBJECT, "read")) throw new Fault("forbidden");
  const readable = columns.filter((column) => column === "id" || access.fieldReadable(OBJECT, column));
  // Ids ascend with time.
  const text = `SELECT ${readable.join(", ")} FROM ${OBJECT} ORDER BY id DESC LIMIT ${limit}`;
  const { result } = await runSearch(tenant, { text, where: query, loc: ["body", "query"], cursor });
  const messages = result.records.map((row) =>
    foundEmail.parse(Object.fromEntries(columns.map((column) => [column, plain(row[column])]))),
  );
  return { messages, ...(result.next_cursor !== undefined && { next_cursor: result.next_cursor }) };
};

/** The content of a list is in its first message, which those who may read one of the others may have no access to. */
const withListContent = async (tenant: Tenant, message: ApiRecord): Promise<ApiRecord> => {
  const { batch_id, body, text } = message;
  if (typeof batch_id !== "string" || batch_id === message.id || body || text) return message;
  const projection = { body: 1, text: 1 };
  const first = await tenant.collection<Content>(OBJECT).findOne({ _id: batch_id }, { projection });
  // Only fields that the caller may read are there.
  const content = Object.entries({ body: first?.body, text: first?.text }).filter(([name]) => name in message);
  return { ...message, ...Object.fromEntries(content) };
};

/** Raises `message_not_found`, also for a message that the caller may not see. */
export const getMessage = async (tenant: Tenant, id: string): Promise<ApiRecord> => {
  try {
    return await withListContent(tenant, await records(tenant).get(OBJECT, id));
  } catch (error) {
    throw error instanceof Fault && error.code === "record_not_found" ? new Fault("message_not_found") : error;
  }
};
