import { getRecord } from "#contracts/records";
import { records } from "#shared/data/records/records";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(getRecord)(async ({ tenant, path }) =>
  reply(200, await records(tenant).get(path.object, path.id)),
);
