import { getDocumentContent } from "#contracts/documents";
import { attachmentHeader, readAttachment } from "#shared/documents/documents";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(getDocumentContent)(async ({ tenant, path }) => {
  const { name, bytes } = await readAttachment(tenant, path.id);
  return reply(200, bytes, {
    "content-disposition": attachmentHeader(name),
    "content-security-policy": "sandbox; default-src 'none'",
    "cross-origin-resource-policy": "same-origin",
  });
});
