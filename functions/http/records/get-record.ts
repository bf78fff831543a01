import { getRecord } from "#contracts/records";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { records } from "#shared/records/records";

export const handler = endpoint(getRecord)(async ({ tenant, path }) =>
  reply(200, await records(tenant).get(path.object, path.id)),
);
