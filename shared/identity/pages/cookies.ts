import { env } from "#shared/foundation/env";
import type { BrowserFacts } from "./visit.ts";

/**
 * `form`: the secret of the form tokens. `session`: of a browser that is signed in. `waiting`: the id of a sign-in that
 * waits for its second factor.
 */
type Cookie = "form" | "session" | "waiting";

/** Without TLS (only on a developer's machine) browsers accept neither `Secure` nor the `__Host-` prefix. */
const overTls = (): boolean => env.issuer().startsWith("https:");

/** With the prefix other hosts of our domain cannot set the cookie (RFC 6265bis §4.1.3.2). */
const nameOf = (cookie: Cookie): string => `${overTls() ? "__Host-" : ""}tenantry-${cookie}`;

export const readCookie = ({ cookies }: BrowserFacts, cookie: Cookie): string | undefined =>
  cookies.get(nameOf(cookie)) || undefined;

/**
 * Deleted when the browser is closed, and hidden from scripts. `Lax`, because people come to the first page from the
 * app; the forms are protected by a token.
 */
export const writeCookie = (cookie: Cookie, value: string): string =>
  `${nameOf(cookie)}=${value}; Path=/; HttpOnly; SameSite=Lax${overTls() ? "; Secure" : ""}`;

export const clearCookie = (cookie: Cookie): string => `${writeCookie(cookie, "")}; Max-Age=0`;
