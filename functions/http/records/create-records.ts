import { createRecords } from "#contracts/records";
import { oneOrMany, recordWriter, truncationHeader } from "#shared/data/records/writer/writer";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(createRecords)(async ({ tenant, path, body }) => {
  const written = await recordWriter(tenant).create(path.object, body);
  return reply(201, oneOrMany(body, written.records), truncationHeader(written));
});
