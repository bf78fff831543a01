import { listRecords } from "#contracts/records";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { pageHeaders, records } from "#shared/records/records";

export const handler = endpoint(listRecords)(async ({ tenant, path, query }) => {
  const page = await records(tenant).list(path.object, query);
  return reply(200, page.records, pageHeaders(path.object, query, page));
});
