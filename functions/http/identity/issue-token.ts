import { issueToken } from "#contracts/oauth";
import { issueAppToken, tokenHeaders } from "#shared/identity/identity";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(issueToken)(async ({ body, headers, request }) => {
  return reply(
    200,
    await issueAppToken({ ...body, authorization: headers.authorization }, request.device),
    tokenHeaders,
  );
});
