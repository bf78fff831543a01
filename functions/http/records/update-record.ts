import { updateRecord } from "#contracts/records";
import { records } from "#shared/data/records/records";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(updateRecord)(async ({ tenant, path, body }) =>
  reply(200, await records(tenant).updateOne(path.object, path.id, body)),
);
