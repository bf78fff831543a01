/** What leaves the platform: mail. */
export { type MailMessage, sendMail } from "./mail.ts";
export { sendOrganizationMail } from "./organization-mail.ts";
