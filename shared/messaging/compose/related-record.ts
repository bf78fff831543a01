import type { SendEmailRequest } from "#contracts/email-bodies";
import { isNotReadable } from "#shared/data/records/records";
import { refuseIfAny } from "#shared/foundation/faults";
import { isObject } from "#shared/foundation/is-object";
import { textOf } from "#shared/foundation/text-of";
import type { RecordReference, Tenant } from "#shared/tenant/tenant";
import { recordData } from "./record-data.ts";

interface Related {
  readonly reference: RecordReference;
  /** What templates read of it. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** The record that a message is about. Raises `validation_failed` if the caller may not read it. */
export const relatedRecord = async (
  tenant: Tenant,
  { related_to }: Pick<SendEmailRequest, "related_to">,
): Promise<Related | undefined> => {
  if (related_to === undefined) return undefined;
  const { object, id } = related_to;
  try {
    const data = await recordData(tenant, related_to);
    const name = isObject(data.record) ? (textOf(data.record.name) ?? "") : "";
    return { reference: { id, schema: object.toLowerCase(), name }, data };
  } catch (error) {
    if (!isNotReadable(error)) throw error;
    const msg = "There is no such record that you may read.";
    refuseIfAny([{ loc: ["body", "related_to"], msg, type: "unknown_record" }]);
    throw error;
  }
};
