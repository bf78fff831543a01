import { listSessions as contract } from "#contracts/sessions";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { listSessions } from "#shared/identity/identity";

export const handler = endpoint(contract)(async ({ query, tenant }) =>
  reply(200, { sessions: await listSessions(tenant, query.user_id) }),
);
