import { BSON, type Document } from "mongodb";
import { MAX_BATCH } from "#contracts/record";
import { Fault, refuseIfAny } from "#shared/foundation/faults";
import { isTooLargeForReply } from "#shared/foundation/reply-size";
import type { Batch } from "./check-record.ts";
import { resolveReferences } from "./resolve-references.ts";
import type { Target } from "./target.ts";
import { fail, newReport, type ValidationContext } from "./values/report.ts";

/** In bytes of BSON: what one request could create in one go, so that no record grows past what a reply can carry. */
const LARGEST_RECORD = 1024 * 1024;

export const newBatch = (): Batch => ({ report: newReport(), forbidden: new Set() });

/** The validation context of each record of a batch, by its index. */
export type Contexts = (index: number) => ValidationContext;

/** A record that came alone has no index. */
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

/** What came as one record or as several. Raises `validation_failed` for none and for too many. */
export const itemsOf = (data: unknown): readonly unknown[] => {
  if (!Array.isArray(data)) return [required(data)];
  if (data.length > 0 && data.length <= MAX_BATCH) return data;
  throw new Fault("validation_failed", {
    issues: [{ loc: ["body"], msg: `Expected 1 to ${MAX_BATCH} records.`, type: "batch_size" }],
  });
};

/**
 * The end of the checks: 403 for fields out of the caller's reach, then 422 with everything that is wrong, lookups to
 * nowhere included. Nothing has been written when it raises.
 */
export const settle = async ({ tenant }: Target, { report, forbidden }: Batch): Promise<void> => {
  if (forbidden.size > 0) {
    const fields = [...forbidden].map((name) => `"${name}"`).join(", ");
    throw new Fault("forbidden", { message: `You may not set ${fields}.` });
  }
  if (report.references.length > 0) await resolveReferences(tenant, report);
  refuseIfAny(report.issues);
};

/** Notes records that would be larger than any may be. */
export const noteLarge = (document: Document, context: ValidationContext): void => {
  if (BSON.calculateObjectSize(document, { ignoreUndefined: true }) > LARGEST_RECORD) {
    fail(context, "record_too_large", `A record may have at most ${LARGEST_RECORD} bytes.`);
  } else if (isTooLargeForReply(document)) {
    // Control characters take six bytes as JSON.
    fail(context, "record_too_large", "As JSON the record would be larger than a reply may be.");
  }
};
