import { deleteRecord } from "#contracts/records";
import { recordWriter } from "#shared/data/records/writer/writer";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(deleteRecord)(async ({ tenant, path }) =>
  reply(200, { deleted: await recordWriter(tenant).removeOne(path.object, path.id) }),
);
