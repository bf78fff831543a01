import { issueToken } from "#contracts/oauth";
import { issueAppToken, tokenHeaders } from "#shared/identity/identity";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(issueToken)(async ({ body, headers, request }) => {
  const device = { address: request.ip, user_agent: request.userAgent };
  return reply(200, await issueAppToken({ ...body, authorization: headers.authorization }, device), tokenHeaders);
});
