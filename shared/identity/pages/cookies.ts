import { env } from "#shared/foundation/env";
import type { BrowserFacts } from "./visit.ts";

/**
 * `form`: what the tokens of our forms are bound to. `session`: of a browser that is signed in. `waiting`: the id of a sign-in
 * that waits for its second factor.
 */
type Cookie = "form" | "session" | "waiting";

/** Without TLS, which is only on one's own machine, browsers take neither `Secure` nor the `__Host-` prefix. */
const overTls = (): boolean => env.issuer().startsWith("https:");

/** The prefix keeps other hosts of our domain from planting a cookie (RFC 6265bis §4.1.3.2). */
const nameOf = (cookie: Cookie): string => `${overTls() ? "__Host-" : ""}tenantry-${cookie}`;

export const readCookie = ({ cookies }: BrowserFacts, cookie: Cookie): string | undefined =>
  cookies.get(nameOf(cookie)) || undefined;

/**
 * Gone when the browser is closed; no script sees it. `Lax`: people come to the first page from the app, and the forms are
 * guarded by a token.
 */
export const writeCookie = (cookie: Cookie, value: string): string =>
  `${nameOf(cookie)}=${value}; Path=/; HttpOnly; SameSite=Lax${overTls() ? "; Secure" : ""}`;

export const clearCookie = (cookie: Cookie): string => `${writeCookie(cookie, "")}; Max-Age=0`;
