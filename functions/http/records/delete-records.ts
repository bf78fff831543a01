import { deleteRecords } from "#contracts/records";
import { records } from "#shared/data/records/records";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(deleteRecords)(async ({ tenant, path, query }) =>
  reply(200, { deleted: await records(tenant).remove(path.object, query.ids) }),
);
