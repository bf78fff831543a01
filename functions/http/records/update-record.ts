import { updateRecord } from "#contracts/records";
import { recordWriter } from "#shared/data/records/writer/writer";
import { recordHooks } from "#shared/functions/triggers/triggers";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(updateRecord)(async ({ tenant, request, path, body }) =>
  reply(200, await recordWriter(tenant, recordHooks(tenant, request)).updateOne(path.object, path.id, body)),
);
