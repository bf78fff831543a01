/** What leaves the platform: mail, text messages and notifications. */

export type { StoreMessages } from "./capture.ts";
export { htmlToText } from "./html/html.ts";
export { type MailMessage, sendMail } from "./mail.ts";
export { markRead } from "./mark-read.ts";
export { notify } from "./notify.ts";
export { sendOrganizationMail } from "./organization-mail.ts";
export { sendEmail } from "./send-email.ts";
export { sendSms } from "./send-sms.ts";
