/** What the platform itself mails: codes, links and notices. */

export { deliverPlatformMail } from "./deliver.ts";
export { findPlatformMails, resendPlatformMail } from "./operate.ts";
export { mailOwners } from "./organization-mail.ts";
export {
  type MailMessage,
  queuePlatformMail,
  queueSealedMails,
  type SealedMail,
  sealMail,
} from "./queue.ts";
