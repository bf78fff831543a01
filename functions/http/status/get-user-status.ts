import { getUserStatus } from "#contracts/status";
import { statusOfUser } from "#shared/identity/presence/presence";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(getUserStatus)(async ({ tenant, path }) =>
  reply(200, await statusOfUser(tenant, path.user_id)),
);
