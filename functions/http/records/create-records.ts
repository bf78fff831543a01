import { createRecords } from "#contracts/records";
import { oneOrMany, records, truncationHeader } from "#shared/data/records/records";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(createRecords)(async ({ tenant, path, body }) => {
  const written = await records(tenant).create(path.object, body);
  return reply(201, oneOrMany(body, written.records), truncationHeader(written));
});
