import { updateRecords } from "#contracts/records";
import { oneOrMany, records, truncationHeader } from "#shared/data/records/records";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(updateRecords)(async ({ tenant, path, body }) => {
  const written = await records(tenant).update(path.object, body);
  return reply(200, oneOrMany(body, written.records), truncationHeader(written));
});
