import { unsubscribe } from "#contracts/unsubscribe";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";
import { unsubscribeOneClick } from "#shared/messaging/suppression/unsubscribe";

export const handler = endpoint(unsubscribe)(async ({ path, request, raw, contentType }) => {
  const page = await unsubscribeOneClick({ token: path.token, address: request.device.address, raw, contentType });
  return reply(200, page.html, page.headers);
});
