import { deleteRecords } from "#contracts/records";
import { recordWriter } from "#shared/data/records/writer/writer";
import { recordHooks } from "#shared/functions/triggers/triggers";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(deleteRecords)(async ({ tenant, request, path, query }) =>
  reply(200, { deleted: await recordWriter(tenant, recordHooks(tenant, request)).remove(path.object, query.ids) }),
);
