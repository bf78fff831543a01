import { listOauthClients } from "#contracts/oauth-clients";
import { listClients } from "#shared/identity/identity";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(listOauthClients)(async ({ tenant }) =>
  reply(200, { clients: await listClients(tenant) }),
);
