import { listWebhooks as contract } from "#contracts/email-webhooks";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";
import { listWebhooks } from "#shared/messaging/webhooks/list-webhooks";

export const handler = endpoint(contract)(async ({ tenant, query }) => reply(200, await listWebhooks(tenant, query)));
