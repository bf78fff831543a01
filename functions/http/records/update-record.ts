import { updateRecord } from "#contracts/records";
import { recordWriter } from "#shared/data/records/writer/writer";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(updateRecord)(async ({ tenant, path, body }) =>
  reply(200, await recordWriter(tenant).updateOne(path.object, path.id, body)),
);
