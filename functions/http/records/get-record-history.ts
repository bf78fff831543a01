import { getRecordHistory } from "#contracts/records";
import { records, truncationHeader } from "#shared/data/records/records";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(getRecordHistory)(async ({ tenant, path, query }) => {
  const history = await records(tenant).history(path.object, path.id, query);
  return reply(200, history.entries, truncationHeader(history));
});
