/** What leaves the platform: mail, text messages and notifications. Other entry files have what few functions need. */

export type { StoreMessages } from "./capture.ts";
export { queueScheduled } from "./delivery/scheduled.ts";
export { markRead } from "./notifications/mark-read.ts";
export { notify } from "./notifications/notify.ts";
export { openOverdueWindows, openWindow } from "./notifications/windows.ts";
export { sendEmail } from "./send-email.ts";
export { sendEmailOnce } from "./send-email-once.ts";
export { sendSms } from "./send-sms.ts";
