import type { SendSmsRequest } from "#contracts/messages";
import { Fault } from "#shared/foundation/faults";
import type { Tenant } from "#shared/tenant/tenant";
import { captureMessages, LONGEST_NAME, type StoreMessages } from "./capture.ts";

interface SentSms {
  readonly id: string;
  readonly status: "captured";
  /** In E.164. */
  readonly to: string;
}

/** As fields of the format phone store it. */
const E164 = /^\+[1-9]\d{6,14}$/;

/**
 * Records a text message of the caller, which is kept until a vendor is configured. `store`: stores its record, in a
 * transaction of its own by default. Raises `validation_failed`.
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
  const [id = ""] = await captureMessages(tenant, "sms_message", [{ fields }], store);
  return { id, status: "captured", to: number };
};
