import { listSessions as contract } from "#contracts/sessions";
import { listSessions } from "#shared/identity/identity";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(contract)(async ({ query, tenant }) =>
  reply(200, { sessions: await listSessions(tenant, query.user_id) }),
);
