import { deleteRecord } from "#contracts/records";
import { records } from "#shared/data/records/records";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(deleteRecord)(async ({ tenant, path }) =>
  reply(200, { deleted: await records(tenant).removeOne(path.object, path.id) }),
);
