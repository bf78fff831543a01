import { listSenderDomains } from "#contracts/email-domains";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";
import { listDomains } from "#shared/messaging/domains/domains";

export const handler = endpoint(listSenderDomains)(async ({ tenant }) =>
  reply(200, { domains: await listDomains(tenant) }),
);
