import { uploadDocument as contract } from "#contracts/documents";
import { uploadDocument } from "#shared/documents/upload";
import { recordHooks } from "#shared/functions/triggers/triggers";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(contract)(async ({ tenant, request, query, raw }) =>
  reply(201, await uploadDocument(tenant, recordHooks(tenant, request), { ...query, bytes: raw })),
);
