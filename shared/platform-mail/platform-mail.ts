/** What the platform itself mails: codes, links and notices. A room below the audit trail, which tells owners by mail. */
export { type MailMessage, sendMail } from "./mail.ts";
export { sendOrganizationMail } from "./organization-mail.ts";
