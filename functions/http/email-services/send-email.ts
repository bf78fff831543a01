import { sendEmail } from "#contracts/email";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";
import { sendEmailOnce } from "#shared/messaging/messaging";

export const handler = endpoint(sendEmail)(async ({ tenant, body }) => reply(200, await sendEmailOnce(tenant, body)));
