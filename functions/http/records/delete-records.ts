import { deleteRecords } from "#contracts/records";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { records } from "#shared/records/records";

export const handler = endpoint(deleteRecords)(async ({ tenant, path, query }) =>
  reply(200, { deleted: await records(tenant).remove(path.object, query.ids) }),
);
