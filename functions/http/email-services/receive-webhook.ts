import { receiveWebhook as contract } from "#contracts/email-webhooks";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";
import { receiveWebhook } from "#shared/messaging/webhooks/receive-webhook";

export const handler = endpoint(contract)(async ({ path, headers, raw, contentType, request }) => {
  await receiveWebhook({
    organization_id: path.organization_id,
    headers,
    body: raw,
    contentType,
    address: request.device.address,
  });
  return reply(202);
});
