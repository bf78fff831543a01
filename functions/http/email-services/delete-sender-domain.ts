import { deleteSenderDomain } from "#contracts/email-domains";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";
import { removeDomain } from "#shared/messaging/domains/domains";

export const handler = endpoint(deleteSenderDomain)(async ({ tenant, path }) => {
  await removeDomain(tenant, path.domain);
  return reply(200, { deleted: [path.domain] });
});
