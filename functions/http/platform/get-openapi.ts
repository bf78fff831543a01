import { getOpenapi } from "#contracts/platform";
import { env } from "#shared/foundation/env";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";
import { type OpenapiDocument, openapiDocument } from "#shared/openapi/openapi";

let document: OpenapiDocument | undefined;

export const handler = endpoint(getOpenapi)(() => {
  document ??= openapiDocument({ version: env.version(), server: env.issuer() });
  return reply(200, { ...document }, { "cache-control": "public, max-age=300" });
});
