import { billingHookMessage, usageSyncMessage } from "./billing-messages.ts";
import { removeFiles } from "./document-files.ts";
import { deliverMessage } from "./message-delivery.ts";
import { deliverNotification, notifySetting } from "./notification-messages.ts";
import { passwordResetMessage, platformMailMessage } from "./platform-messages.ts";
import type { MessageContract } from "./queue.ts";
import { recordTriggerMessage, startAutomation } from "./record-messages.ts";
import { emailWebhookMessage, sesEventMessage } from "./webhook-messages.ts";

/** Every queue of the platform. A contract that is not listed here is not deployed. */
export const queues: readonly MessageContract[] = [
  billingHookMessage,
  deliverMessage,
  emailWebhookMessage,
  recordTriggerMessage,
  removeFiles,
  sesEventMessage,
  deliverNotification,
  notifySetting,
  startAutomation,
  usageSyncMessage,
  passwordResetMessage,
  platformMailMessage,
];
