import { createRecords } from "#contracts/records";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { cutHeader, inShapeOf, records } from "#shared/records/records";

export const handler = endpoint(createRecords)(async ({ tenant, path, body }) => {
  const written = await records(tenant).create(path.object, body);
  return reply(201, inShapeOf(body, written.records), cutHeader(written));
});
