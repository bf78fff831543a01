import { issueToken } from "#contracts/oauth";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { issueAppToken, tokenHeaders } from "#shared/identity/identity";

export const handler = endpoint(issueToken)(async ({ body, headers, request }) => {
  const device = { address: request.ip, user_agent: request.userAgent };
  return reply(200, await issueAppToken({ ...body, authorization: headers.authorization }, device), tokenHeaders);
});
