import { listOauthClients } from "#contracts/oauth-clients";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { listClients } from "#shared/identity/identity";

export const handler = endpoint(listOauthClients)(async ({ tenant }) =>
  reply(200, { clients: await listClients(tenant) }),
);
