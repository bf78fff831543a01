import { previewTemplate as contract } from "#contracts/templates";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";
import { previewTemplate } from "#shared/messaging/compose/compose";

export const handler = endpoint(contract)(async ({ tenant, body }) => reply(200, await previewTemplate(tenant, body)));
