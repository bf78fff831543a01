import { BSON, type Document } from "mongodb";
import { MAX_BATCH } from "#contracts/record";
import {
  fail,
  isEncryptedValue,
  newValidationReport,
  type PendingReference,
  type ValidationContext,
} from "#shared/data/schema/schema";
import { Fault, type Issue, refuseIfAny } from "#shared/foundation/faults";
import { isObject } from "#shared/foundation/is-object";
import { isTooLargeForReply } from "#shared/foundation/reply-size";
import type { Batch } from "./check-record.ts";
import { failMissing, resolveReferences } from "./resolve-references.ts";
import type { Target } from "./target.ts";

/** In bytes of BSON. A larger record might not fit into a reply. */
const LARGEST_RECORD = 1024 * 1024;

/**
 * An empty batch for these records. The numbering plans for telephone numbers are loaded only if one is sent: that takes
 * some milliseconds, which other requests need not wait for.
 */
export const newBatch = async ({ schema, tenant }: Target, items: readonly unknown[]): Promise<Batch> => {
  const phones = Object.values(schema.properties).filter(({ format }) => format === "phone");
  const sends = (item: unknown): boolean =>
    isObject(item) && phones.some(({ api_name }) => typeof item[api_name] === "string");
  if (phones.length === 0 || !items.some(sends)) return { report: newValidationReport(), forbidden: new Set() };
  const { phoneReader } = await import("#shared/data/schema/phones/phones");
  return { report: newValidationReport(phoneReader(tenant.state.country)), forbidden: new Set() };
};

/** The validation context of each record of a batch, by its index. */
export type Contexts = (index: number) => ValidationContext;

/** The path of a single record has no index. */
export const contextsOf =
  ({ report }: Batch, many: boolean): Contexts =>
  (index) => ({ report, at: many ? ["body", index] : ["body"], secret: false });

/** Raises `validation_failed` for a request without a body. */
export const required = (data: unknown): unknown => {
  if (data !== undefined) return data;
  throw new Fault("validation_failed", {
    issues: [{ loc: ["body"], msg: "This value is required.", type: "missing" }],
  });
};

/** The body as an array of records. Raises `validation_failed` for an empty array and for too many. */
export const itemsOf = (data: unknown): readonly unknown[] => {
  if (!Array.isArray(data)) return [required(data)];
  if (data.length > 0 && data.length <= MAX_BATCH) return data;
  throw new Fault("validation_failed", {
    issues: [{ loc: ["body"], msg: `Expected 1 to ${MAX_BATCH} records.`, type: "batch_size" }],
  });
};

/** Gives those of the references that the stored records hold already. Their names are filled in. */
export type HeldReferences = (missing: readonly PendingReference[]) => Promise<readonly PendingReference[]>;

/**
 * Ends the checks, before anything is written. Raises `forbidden` for fields that the caller may not write, then
 * `validation_failed` with all issues, including references to missing records and those of `checkRules`. A reference
 * to a record that was deleted, or that the caller may not read, is no issue where it is `held` already.
 */
export const finishChecks = async (
  { tenant }: Target,
  { report, forbidden }: Batch,
  checkRules: () => readonly Issue[] | Promise<readonly Issue[]>,
  held: HeldReferences = async () => [],
): Promise<void> => {
  if (forbidden.size > 0) {
    const fields = [...forbidden].map((name) => `"${name}"`).join(", ");
    throw new Fault("forbidden", { message: `You may not set ${fields}.` });
  }
  const missing = report.references.length === 0 ? [] : await resolveReferences(tenant, report);
  const kept = missing.length === 0 ? [] : await held(missing);
  for (const reference of missing) if (!kept.includes(reference)) failMissing(report, reference);
  refuseIfAny([...report.issues, ...(await checkRules())]);
};

/** In JSON a control character takes six bytes. */
const LARGEST_ESCAPE = 6;

/** The bytes of all encrypted texts, which are as long as their ciphertexts. */
const encryptedBytes = (document: Document): number =>
  Object.values(document).reduce(
    (sum: number, value) => (isEncryptedValue(value) ? sum + value.text.length() : sum),
    0,
  );

/** Adds an issue for a record that is too large. */
export const checkSize = (document: Document, context: ValidationContext): void => {
  if (BSON.calculateObjectSize(document, { ignoreUndefined: true }) > LARGEST_RECORD) {
    fail(context, "record_too_large", `A record may have at most ${LARGEST_RECORD} bytes.`);
  } else if (isTooLargeForReply(document) || encryptedBytes(document) * LARGEST_ESCAPE > LARGEST_RECORD * 5) {
    // JSON can be larger than BSON: a control character takes six bytes.
    fail(context, "record_too_large", "As JSON the record would be larger than a reply may be.");
  }
};
