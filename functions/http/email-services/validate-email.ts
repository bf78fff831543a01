import { validateEmail as contract } from "#contracts/email-validation";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";
import { validateEmail } from "#shared/messaging/validate/validate-email";

export const handler = endpoint(contract)(async ({ body }) =>
  reply(200, await validateEmail(body.email, body.check_deliverability)),
);
