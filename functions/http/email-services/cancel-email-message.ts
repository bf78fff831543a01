import { cancelEmailMessage } from "#contracts/email";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";
import { cancelEmail } from "#shared/messaging/change-email";

export const handler = endpoint(cancelEmailMessage)(async ({ tenant, path }) =>
  reply(200, await cancelEmail(tenant, path.message_id)),
);
