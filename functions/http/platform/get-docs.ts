import { getDocs } from "#contracts/api-reference";
import { env } from "#shared/foundation/env";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";
import { openapiDocument, type ReferencePage, referencePage } from "#shared/openapi/openapi";

let page: ReferencePage | undefined;

export const handler = endpoint(getDocs)(() => {
  page ??= referencePage(openapiDocument({ version: env.version(), server: env.issuer() }));
  return reply(200, page.html, {
    "cache-control": "public, max-age=300",
    "content-security-policy": page.contentSecurityPolicy,
    "referrer-policy": "no-referrer",
  });
});
