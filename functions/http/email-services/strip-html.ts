import { stripHtml } from "#contracts/templates";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";
import { htmlToText } from "#shared/messaging/html/html";

export const handler = endpoint(stripHtml)(async ({ body: { html, ...options } }) =>
  reply(200, await htmlToText(html, options)),
);
