import { listPendingSignIns as contract } from "#contracts/second-factor";
import { listPendingSignIns } from "#shared/identity/identity";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(contract)(async ({ caller }) =>
  reply(200, { sign_ins: await listPendingSignIns(caller) }),
);
