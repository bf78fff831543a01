import { getDocsSignedIn } from "#contracts/api-reference";
import { html, pageOf } from "#shared/foundation/html/html";
import { endpoint } from "#shared/lambda/http/endpoint";
import { reply } from "#shared/lambda/http/reply";

export const handler = endpoint(getDocsSignedIn)(() => {
  const content = html`<h1>Signed in</h1><p>The API reference closes this window. If it stays open, you can close it.</p>`;
  const page = pageOf({ title: "Signed in", content });
  return reply(200, page.html, page.headers);
});
