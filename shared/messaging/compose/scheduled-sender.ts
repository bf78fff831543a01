import { describeAttachment } from "#shared/documents/documents";
import { Fault } from "#shared/foundation/faults";
import { isObject } from "#shared/foundation/is-object";
import { actingTenant, requirePayment, type TenantDatabase } from "#shared/tenant/tenant";
import type { StoredMessage } from "../delivery/record.ts";

/** What ends a scheduled message. Other faults may pass. */
const final: ReadonlySet<string> = new Set([
  "forbidden",
  "organization_suspended",
  "payment_required",
  "record_not_found",
]);

/**
 * Why a message with a `send_at` is not sent although its time has come; undefined if it is sent. Whoever scheduled it
 * must be active at this moment, and may read the files that it names. A person who sends a message again answers for
 * it: that is not checked.
 */
export const lostSender = async (
  { organization_id }: TenantDatabase,
  { _id, send_at, created_by, attachments, _delivery }: StoredMessage,
): Promise<string | undefined> => {
  if (send_at === undefined || created_by?.schema !== "user" || (_delivery?.revision ?? 1) > 1) return undefined;
  const acting = { user_id: created_by.id, client_id: null, scope: "all", responsible: null };
  try {
    const tenant = await actingTenant(organization_id, acting, _id);
    requirePayment(tenant);
    for (const one of Array.isArray(attachments) ? attachments : []) {
      if (isObject(one) && typeof one.document === "string") await describeAttachment(tenant, one.document);
    }
    return undefined;
  } catch (error) {
    if (error instanceof Fault && final.has(error.code)) return error.message;
    throw error;
  }
};
