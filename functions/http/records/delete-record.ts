import { deleteRecord } from "#contracts/records";
import { endpoint } from "#shared/http/endpoint";
import { reply } from "#shared/http/reply";
import { records } from "#shared/records/records";

export const handler = endpoint(deleteRecord)(async ({ tenant, path }) =>
  reply(200, { deleted: await records(tenant).remove(path.object, [path.id]) }),
);
