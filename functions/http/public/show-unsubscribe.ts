import { showUnsubscribe } from "#contracts/unsubscribe";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";
import { unsubscribePage } from "#shared/messaging/suppression/unsubscribe";

export const handler = endpoint(showUnsubscribe)(async ({ path, request }) => {
  const page = await unsubscribePage({ token: path.token, address: request.device.address });
  return reply(200, page.html, page.headers);
});
