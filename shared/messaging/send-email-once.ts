import type { SendEmailRequest, SentEmail } from "#contracts/email-bodies";
import type { Tenant } from "#shared/tenant/tenant";
import type { StoredMessage } from "./delivery/record.ts";
import { keeping, writeKept } from "./kept.ts";
import { sendEmail } from "./send-email.ts";

interface RereadMessage extends StoredMessage {
  /** Of a message to a list: that of its first message. */
  readonly batch_id?: string;
}

/** What is known of the messages of a repeated request, as they are now. */
const reread = async (tenant: Tenant, ids: readonly string[]): Promise<SentEmail> => {
  const messages = await tenant
    .collection<RereadMessage>("email_message")
    .find({ _id: { $in: [...ids] } })
    .sort({ _id: 1 })
    .toArray();
  const [first] = messages;
  const recipients = messages.flatMap(({ _id, status, batch_id, recipients: all = [] }) =>
    all.map((one) => ({
      email: one.email,
      status: one.status === "suppressed" ? one.status : status,
      ...(one.reason !== undefined && { reason: one.reason }),
      ...(batch_id !== undefined && { id: _id }),
    })),
  );
  const { status = "unknown", send_at } = first ?? {};
  return { id: ids[0] ?? "", status, ...(send_at && { send_at: send_at.toISOString() }), recipients };
};

/** `sendEmail` as the one effect of a request that may be repeated. A repetition is told how the messages are now. */
export const sendEmailOnce = (tenant: Tenant, request: SendEmailRequest): Promise<SentEmail> =>
  tenant.once.write<SentEmail>(
    async () => {
      const { store, kept } = keeping();
      const sent = await sendEmail(tenant, request, store);
      return async (session) => {
        await writeKept(tenant, kept, session);
        return { ids: kept.flatMap(({ records }) => records.map(({ _id }) => _id)), value: sent };
      };
    },
    (ids) => reread(tenant, ids),
  );
