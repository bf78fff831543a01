import { searchEmailMessages } from "#contracts/email-log";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";
import { searchMessages } from "#shared/messaging/search-messages";

export const handler = endpoint(searchEmailMessages)(async ({ tenant, body }) =>
  reply(200, await searchMessages(tenant, body ?? {})),
);
