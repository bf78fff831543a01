import { getDocs } from "#contracts/api-reference";
import { env } from "#shared/env";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
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
