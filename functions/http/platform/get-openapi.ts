import { getOpenapi } from "#contracts/platform";
import { env } from "#shared/env";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { type OpenapiDocument, openapiDocument } from "#shared/openapi/openapi";

let document: OpenapiDocument | undefined;

export const handler = endpoint(getOpenapi)(() => {
  document ??= openapiDocument({ version: env.version(), server: env.issuer() });
  return reply(200, { ...document }, { "cache-control": "public, max-age=300" });
});
