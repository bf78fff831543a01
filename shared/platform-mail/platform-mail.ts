/** What the platform itself mails: codes, links and notices. `deliver.ts` is the entry file of the worker. */

export { findPlatformMails, resendPlatformMail } from "./operate.ts";
export { mailOwners } from "./organization-mail.ts";
export {
  type MailMessage,
  queuePlatformMail,
  queueSealedMails,
  type SealedMail,
  sealMail,
} from "./queue.ts";
