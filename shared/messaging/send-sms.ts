import type { SendSmsRequest } from "#contracts/messages";
import { Fault } from "#shared/foundation/faults";
import { LONGEST_NAME, type Tenant } from "#shared/tenant/tenant";
import type { StoreMessages } from "./capture.ts";
import { type AcceptedStatus, acceptedStatus, acceptMessages } from "./delivery/accept.ts";

interface SentSms {
  readonly id: string;
  readonly status: AcceptedStatus;
  /** In E.164. */
  readonly to: string;
}

/** As fields of the format phone store it. */
const E164 = /^\+[1-9]\d{6,14}$/;

/**
 * Accepts a text message of the caller. `store`: stores its record, in a transaction of its own by default. Raises
 * `validation_failed` and `vendor_not_configured`.
 */
export const sendSms = async (
  tenant: Tenant,
  { to, message }: SendSmsRequest,
  store?: StoreMessages,
): Promise<SentSms> => {
  const number = to.replaceAll(/[\s().\-/\p{Cf}]/gu, "");
  if (!E164.test(number)) {
    const msg = "Expected a telephone number with its country code, such as +4930123456.";
    throw new Fault("validation_failed", { issues: [{ loc: ["body", "to"], msg, type: "phone" }] });
  }
  const name = message.replaceAll(/\s+/g, " ").slice(0, LONGEST_NAME);
  const fields = { name, to: number, message, direction: "outbound" };
  const status = await acceptedStatus(tenant, "sms_message");
  const [id = ""] = await acceptMessages(tenant, "sms_message", [{ fields, status }], store);
  return { id, status, to: number };
};
