import { updateRecords } from "#contracts/records";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { cutHeader, inShapeOf, records } from "#shared/records/records";

export const handler = endpoint(updateRecords)(async ({ tenant, path, body }) => {
  const written = await records(tenant).update(path.object, body);
  return reply(200, inShapeOf(body, written.records), cutHeader(written));
});
