import { listRecords } from "#contracts/records";
import { pageHeaders, records } from "#shared/data/records/records";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(listRecords)(async ({ tenant, path, query }) => {
  const page = await records(tenant).list(path.object, query);
  return reply(200, page.records, pageHeaders(path.object, query, page));
});
