import { updateField as contract } from "#contracts/schema";
import { updateField } from "#shared/data/schema/schema";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(contract)(async ({ tenant, body }) => reply(200, await updateField(tenant, body)));
