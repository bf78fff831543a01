import { addSenderDomain } from "#contracts/email-domains";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";
import { addDomain } from "#shared/messaging/domains/domains";

export const handler = endpoint(addSenderDomain)(async ({ tenant, body }) => {
  const { isNew, domain } = await addDomain(tenant, body.domain);
  return isNew ? reply(201, domain) : reply(200, domain);
});
