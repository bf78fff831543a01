/** What leaves the platform: mail, text messages and notifications. */

export type { StoreMessages } from "./capture.ts";
export { type AcceptedStatus, acceptedStatus, acceptMessages, type NewMessage } from "./delivery/accept.ts";
export { deliver } from "./delivery/deliver.ts";
export { cancelMessage, resendMessage } from "./delivery/person.ts";
export { queueScheduled } from "./delivery/scheduled.ts";
export { sweepMessages } from "./delivery/sweep.ts";
export { addDomain, listDomains, removeDomain, verifyDomain } from "./domains/domains.ts";
export { deliverToRecipients } from "./notifications/deliver.ts";
export { removeDevice, setDevice } from "./notifications/devices.ts";
export { fireSetting } from "./notifications/fire.ts";
export { listNotifications } from "./notifications/list.ts";
export { markRead } from "./notifications/mark-read.ts";
export { notify } from "./notifications/notify.ts";
export { readPreferences, setPreferences } from "./notifications/preferences.ts";
export { sendToDevice } from "./notifications/send-to-device.ts";
export { fireSettings } from "./notifications/settings.ts";
export { openOverdueWindows, openWindow } from "./notifications/windows.ts";
export { getMessage, searchMessages } from "./search-messages.ts";
export { sendEmail } from "./send-email.ts";
export { sendSms } from "./send-sms.ts";
export { addSuppression, type NewSuppression } from "./suppression/suppression.ts";
export { unsubscribeOneClick, unsubscribePage } from "./suppression/unsubscribe.ts";
export { validateEmail } from "./validate/validate-email.ts";
export { listWebhooks } from "./webhooks/list-webhooks.ts";
export { processWebhook } from "./webhooks/process-webhook.ts";
export { receiveWebhook } from "./webhooks/receive-webhook.ts";
