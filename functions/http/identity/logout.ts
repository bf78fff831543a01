import { logout as contract } from "#contracts/identity";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { logout } from "#shared/identity/identity";

export const handler = endpoint(contract)(async ({ caller }) => {
  await logout(caller);
  return reply(204);
});
