import { createRecords } from "#contracts/records";
import { oneOrMany, recordWriter, truncationHeader } from "#shared/data/records/writer/writer";
import { recordHooks } from "#shared/functions/triggers/triggers";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(createRecords)(async ({ tenant, request, path, body }) => {
  const written = await recordWriter(tenant, recordHooks(tenant, request)).create(path.object, body);
  return reply(201, oneOrMany(body, written.records), truncationHeader(written));
});
