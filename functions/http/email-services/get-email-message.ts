import { getEmailMessage } from "#contracts/email-log";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";
import { getMessage } from "#shared/messaging/search-messages";

export const handler = endpoint(getEmailMessage)(async ({ tenant, path }) =>
  reply(200, await getMessage(tenant, path.message_id)),
);
