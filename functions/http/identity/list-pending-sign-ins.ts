import { listPendingSignIns as contract } from "#contracts/second-factor";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { listPendingSignIns } from "#shared/identity/identity";

export const handler = endpoint(contract)(async ({ caller }) =>
  reply(200, { sign_ins: await listPendingSignIns(caller) }),
);
