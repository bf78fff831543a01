import { markReadRequest, notifyRequest, sendEmailRequest, sendSmsRequest } from "#contracts/messages";
import { markRead, notify, sendEmail, sendSms } from "#shared/messaging/messaging";
import { namedArguments, parsedAs } from "./arguments.ts";
import type { Method } from "./method.ts";

const email: Method = {
  scope: "write",
  run: async ({ tenant }, call) =>
    sendEmail(tenant, parsedAs(sendEmailRequest, namedArguments(call, ["request"]).request, ["request"])),
};

const sms: Method = {
  scope: "write",
  run: async ({ tenant }, call) => sendSms(tenant, parsedAs(sendSmsRequest, namedArguments(call, ["to", "message"]))),
};

const notifications: Method = {
  scope: "write",
  run: async ({ tenant }, call) =>
    notify(tenant, parsedAs(notifyRequest, namedArguments(call, ["notifications"]).notifications, ["notifications"])),
};

const read: Method = {
  scope: "write",
  run: async ({ tenant }, call) =>
    markRead(tenant, parsedAs(markReadRequest, namedArguments(call, ["filters"]).filters, ["filters"])),
};

export const communicationMethods: Readonly<Record<string, Method>> = {
  "communications.send_email": email,
  "communications.send_sms": sms,
  "communications.notifications.notify": notifications,
  "communications.notifications.mark_read": read,
};
