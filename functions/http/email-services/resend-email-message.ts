import { resendEmailMessage } from "#contracts/email";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";
import { resendEmail } from "#shared/messaging/change-email";

export const handler = endpoint(resendEmailMessage)(async ({ tenant, path }) =>
  reply(200, await resendEmail(tenant, path.message_id)),
);
