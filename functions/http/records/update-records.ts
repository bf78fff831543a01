import { updateRecords } from "#contracts/records";
import { oneOrMany, recordWriter, truncationHeader } from "#shared/data/records/writer/writer";
import { recordHooks } from "#shared/functions/triggers/triggers";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(updateRecords)(async ({ tenant, request, path, body }) => {
  const written = await recordWriter(tenant, recordHooks(tenant, request)).update(path.object, body);
  return reply(200, oneOrMany(body, written.records), truncationHeader(written));
});
