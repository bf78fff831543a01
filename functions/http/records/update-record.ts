import { updateRecord } from "#contracts/records";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { records } from "#shared/records/records";

export const handler = endpoint(updateRecord)(async ({ tenant, path, body }) =>
  reply(200, await records(tenant).updateOne(path.object, path.id, body)),
);
