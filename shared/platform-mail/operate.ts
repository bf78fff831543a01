import { platformMailMessage } from "#contracts/platform-messages";
import { now } from "#shared/foundation/clock";
import { Fault } from "#shared/foundation/faults";
import { addToBaseOutbox, base, messageFor, type PlatformMail } from "#shared/tenant/tenant";

export interface MailSearch {
  readonly to?: string | undefined;
  readonly kind?: PlatformMail["kind"] | undefined;
  readonly status?: PlatformMail["status"] | undefined;
  readonly limit: number;
}

/** The newest mails of the platform. There is no way to their contents. */
export const findPlatformMails = async ({ to, kind, status, limit }: MailSearch): Promise<PlatformMail[]> => {
  const { platformMails } = await base();
  const filter = { ...(to && { to }), ...(kind && { kind }), ...(status && { status }) };
  return platformMails.find(filter, { sort: { _id: -1 }, limit }).toArray();
};

/**
 * Sends a mail again of which nobody can tell whether it was sent. Raises `message_not_found`, and `conflict` if
 * its status is another one or it is of no use any more.
 */
export const resendPlatformMail = async (id: string): Promise<PlatformMail> => {
  const { platformMails, platformMailBodies, transaction } = await base();
  return transaction(async (session) => {
    const mail = await platformMails.findOne({ _id: id }, { session });
    if (mail === null) throw new Fault("message_not_found", { message: "There is no such mail." });
    const body = await platformMailBodies.findOne({ _id: id, expires_at: { $gt: now() } }, { session });
    const again = await platformMails.findOneAndUpdate(
      { _id: id, status: "unknown", valid_until: { $gt: now() } },
      { $set: { status: "queued" }, $push: { events: { type: "resent", at: now(), detail: "By an operator." } } },
      { session, returnDocument: "after" },
    );
    if (again === null || body === null) {
      const message = "Only a mail with the status unknown is sent again, and only while it is of use.";
      throw new Fault("conflict", { message });
    }
    await addToBaseOutbox(session, [messageFor(platformMailMessage, { mail: id })]);
    return again;
  });
};
