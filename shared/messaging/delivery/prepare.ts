import type { MessageObject } from "#contracts/message-delivery";
import type { TenantDatabase } from "#shared/tenant/tenant";
import { recheckEmail } from "../compose/at-delivery.ts";
import { forgetDevice } from "../notifications/devices.ts";
import type { Configured } from "../vendors/configured.ts";
import { AttachmentGone, outgoingEmail } from "../vendors/email/outgoing.ts";
import { outgoingPush } from "../vendors/push/outgoing.ts";
import type { OutgoingSms } from "../vendors/vendor.ts";
import { type Ending, endedWith } from "./claim.ts";
import type { MessageKey, StoredMessage } from "./record.ts";

/** What the adapter gets, or why the message is not sent. */
type Prepared = { readonly outgoing: unknown } | { readonly ending: Ending };

const refused = (reason: string): Prepared => ({ ending: endedWith("failed", reason) });

const sms = async (message: StoredMessage, { limits }: Configured): Promise<Prepared> => {
  const to = String(message.to ?? "");
  if (limits?.countries !== undefined) {
    const { countryOf } = await import("#shared/data/schema/phones/phones");
    const country = countryOf(to);
    if (country === undefined || !limits.countries.includes(country)) {
      return refused(`The platform's account sends no text messages to ${country ?? "numbers of an unknown country"}.`);
    }
  }
  const outgoing: OutgoingSms = { to, text: String(message.message ?? "") };
  return { outgoing };
};

/** What the adapter of its vendor gets. Raises what another attempt may not meet. */
export const prepare = async (
  database: TenantDatabase,
  { object }: MessageKey,
  message: StoredMessage,
  configured: Configured,
): Promise<Prepared> => {
  if (object === "sms_message") return sms(message, configured);
  if (object === "push_message") {
    const outgoing = await outgoingPush(database, message);
    return outgoing === null ? refused("The device is gone, or its session has ended.") : { outgoing };
  }
  const rechecked = await recheckEmail(database, message);
  if ("refused" in rechecked) {
    const { status, reason } = rechecked.refused;
    return status === "failed" ? refused(reason) : { ending: { status, detail: reason } };
  }
  try {
    return { outgoing: await outgoingEmail(database, rechecked.message, configured.inbound_domain) };
  } catch (error) {
    if (error instanceof AttachmentGone) return refused(error.message);
    throw error;
  }
};

/** A vendor says that the receiver does not exist any more. */
export const receiverGone = async (
  database: TenantDatabase,
  object: MessageObject,
  message: StoredMessage,
): Promise<void> => {
  if (object === "push_message") await forgetDevice(database, String(message.device_id ?? ""));
};
