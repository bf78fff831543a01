import { verifySenderDomain } from "#contracts/email-domains";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";
import { verifyDomain } from "#shared/messaging/domains/domains";

export const handler = endpoint(verifySenderDomain)(async ({ tenant, path }) =>
  reply(200, await verifyDomain(tenant, path.domain)),
);
