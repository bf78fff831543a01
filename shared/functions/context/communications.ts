import { sendEmailRequest } from "#contracts/email-bodies";
import { sendSmsRequest } from "#contracts/messages";
import { markReadRequest, notifyRequest } from "#contracts/notification-bodies";
import { keepUntilCommit } from "#shared/data/records/writer/writer";
import { markRead, notify, type StoreMessages, sendEmail, sendSms } from "#shared/messaging/messaging";
import { namedArguments, parsedAs } from "./arguments.ts";
import type { Calling, Method } from "./method.ts";

/** What a sync trigger sends belongs to the write that runs it, so that nothing of it is left if that one fails. */
const storeOf = ({ tenant, execution }: Calling): StoreMessages | undefined =>
  execution.write === undefined ? undefined : keepUntilCommit(tenant, execution.write);

const email: Method = {
  scope: "write",
  run: async (calling, call) => {
    const request = parsedAs(sendEmailRequest, namedArguments(call, ["request"]).request, ["request"]);
    return sendEmail(calling.tenant, request, storeOf(calling));
  },
};

const sms: Method = {
  scope: "write",
  run: async (calling, call) => {
    const request = parsedAs(sendSmsRequest, namedArguments(call, ["to", "message"]));
    return sendSms(calling.tenant, request, storeOf(calling));
  },
};

const notifications: Method = {
  scope: "write",
  run: async (calling, call) => {
    const named = namedArguments(call, ["notifications"]);
    return notify(calling.tenant, parsedAs(notifyRequest, named.notifications, ["notifications"]), storeOf(calling));
  },
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
