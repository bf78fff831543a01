import { BSON, type Document } from "mongodb";
import { MAX_BATCH } from "#contracts/record";
import {
  addIssue,
  fail,
  isEncryptedValue,
  newValidationReport,
  type PendingChoice,
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
export const newBatch = async (
  { schema, tenant }: Target,
  operation: "create" | "update",
  items: readonly unknown[],
): Promise<Batch> => {
  const choices = operation === "update" ? { choices: [] } : {};
  const fields = Object.values(schema.properties).filter(({ format }) => format === "phone");
  const sends = (item: unknown): boolean =>
    isObject(item) && fields.some(({ api_name }) => typeof item[api_name] === "string");
  if (fields.length === 0 || !items.some(sends)) return { report: newValidationReport(choices), forbidden: new Set() };
  const { phoneReader } = await import("#shared/data/schema/phones/phones");
  const phones = phoneReader(tenant.state.country);
  return { report: newValidationReport({ ...choices, phones }), forbidden: new Set() };
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

/** Values that could not be set anew: references to records that are gone or unreadable, and unlisted choices. */
export interface UnsettableValues {
  readonly references: readonly PendingReference[];
  readonly choices: readonly PendingChoice[];
}

const none: UnsettableValues = { references: [], choices: [] };

/** Gives those that the stored records hold already. The names of the references are filled in. */
export type HeldValues = (sent: UnsettableValues) => Promise<UnsettableValues>;

/**
 * Ends the checks, before anything is written. Raises `forbidden` for fields that the caller may not write, then
 * `validation_failed` with all issues, including references to missing records and those of `checkRules`. Gives the
 * values that are accepted because their records hold them already.
 */
export const finishChecks = async (
  target: Pick<Target, "tenant" | "createdToo">,
  { report, forbidden }: Batch,
  checkRules: () => readonly Issue[] | Promise<readonly Issue[]>,
  held: HeldValues = async () => none,
): Promise<UnsettableValues> => {
  if (forbidden.size > 0) {
    const fields = [...forbidden].map((name) => `"${name}"`).join(", ");
    throw new Fault("forbidden", { message: `You may not set ${fields}.` });
  }
  const references = report.references.length === 0 ? [] : await resolveReferences(target, report);
  const choices = report.choices ?? [];
  const kept = references.length + choices.length === 0 ? none : await held({ references, choices });
  for (const choice of choices) if (!kept.choices.includes(choice)) addIssue(report, choice.issue);
  for (const reference of references) if (!kept.references.includes(reference)) failMissing(report, reference);
  refuseIfAny([...report.issues, ...(await checkRules())]);
  return kept;
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
