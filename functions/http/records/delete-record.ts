import { deleteRecord } from "#contracts/records";
import { recordWriter } from "#shared/data/records/writer/writer";
import { recordHooks } from "#shared/functions/triggers/triggers";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(deleteRecord)(async ({ tenant, request, path }) =>
  reply(200, { deleted: await recordWriter(tenant, recordHooks(tenant, request)).removeOne(path.object, path.id) }),
);
