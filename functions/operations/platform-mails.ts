import { platformMails as contract } from "#contracts/operations";
import { operation } from "#shared/lambda/operation/operation";
import { findPlatformMails, resendPlatformMail } from "#shared/platform-mail/platform-mail";

export const handler = operation(contract)(async ({ resend, ...search }) => {
  const found = resend === undefined ? await findPlatformMails(search) : [await resendPlatformMail(resend)];
  return {
    mails: found.map(({ _id: id, to, kind, status, created, valid_until, attempts, events }) => ({
      id,
      to,
      kind,
      status,
      created: created.toISOString(),
      valid_until: valid_until.toISOString(),
      attempts,
      events: events.map(({ at, ...event }) => ({ ...event, at: at.toISOString() })),
    })),
  };
});
