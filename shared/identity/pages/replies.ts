import type { Page } from "#shared/foundation/html/html";
import { type Reply, reply } from "#shared/lambda/http/reply";

/** A page as the answer to a request. */
export const shown = <const S extends number>(
  status: S,
  page: Page,
  {
    cookies = [],
    headers = {},
  }: { readonly cookies?: readonly string[]; readonly headers?: Record<string, string> } = {},
): Reply<S, string> => ({ ...reply(status, page.html, { ...page.headers, ...headers }), cookies });

/** 303, so that the browser does not send the form to the next address (RFC 9700 §4.12). */
export const onwards = (location: string, cookies: readonly string[] = []): Reply<303, undefined> => ({
  ...reply(303, undefined, { location }),
  cookies,
});
