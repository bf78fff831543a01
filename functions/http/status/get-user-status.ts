import { getUserStatus } from "#contracts/status";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { statusOfUser } from "#shared/presence/presence";

export const handler = endpoint(getUserStatus)(async ({ tenant, path }) =>
  reply(200, await statusOfUser(tenant, path.user_id)),
);
