import type { SendEmailRequest, SentEmail } from "#contracts/email-bodies";
import { addToOutbox, type Tenant } from "#shared/tenant/tenant";
import type { MessageRecord } from "./capture.ts";
import type { StoredMessage } from "./delivery/record.ts";
import { sendEmail } from "./send-email.ts";

interface Kept {
  object: string;
  records: readonly MessageRecord[];
  entries: Parameters<typeof addToOutbox>[2];
}

interface RereadMessage extends StoredMessage {
  readonly to_email?: string;
  readonly batch_id?: string;
  readonly recipients?: readonly { readonly email?: string; readonly status?: string; readonly reason?: string }[];
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
      email: one.email ?? "",
      status: one.status === "suppressed" ? ("suppressed" as const) : status,
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
      const kept: Kept[] = [];
      const sent = await sendEmail(tenant, request, async (object, records, entries) => {
        kept.push({ object, records, entries });
      });
      return async (session) => {
        for (const { object, records, entries } of kept) {
          await tenant.collection<MessageRecord>(object).insertMany([...records], { session });
          await addToOutbox(tenant, session, entries);
        }
        return { ids: kept.flatMap(({ records }) => records.map(({ _id }) => _id)), value: sent };
      };
    },
    (ids) => reread(tenant, ids),
  );
