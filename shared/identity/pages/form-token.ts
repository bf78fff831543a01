import { createHmac, randomBytes } from "node:crypto";
import { isSameSecret } from "#shared/foundation/constant-time";
import { readCookie, writeCookie } from "./cookies.ts";
import type { BrowserFacts, Provenance, Submission } from "./visit.ts";

const tokenFor = (secret: string): string => createHmac("sha256", secret).update("form").digest("base64url");

export interface FormGuard {
  /** The value of a hidden field of each form. */
  readonly token: string;
  /** The cookie to set with the page, if the browser has none. */
  readonly cookies: readonly string[];
}

/** The guard of the forms on a page for this browser. */
export const formGuard = (facts: BrowserFacts): FormGuard => {
  const known = readCookie(facts, "form");
  return known === undefined ? newFormGuard() : { token: tokenFor(known), cookies: [] };
};

/** A guard with a new secret, which makes all forms that this browser was shown before invalid. */
export const newFormGuard = (): FormGuard => {
  const secret = randomBytes(32).toString("base64url");
  return { token: tokenFor(secret), cookies: [writeCookie("form", secret)] };
};

/**
 * Checks the headers in which browsers tell a form's origin;
 * https://developer.mozilla.org/docs/Web/HTTP/Headers/Sec-Fetch-Site
 */
const isOwnOrigin = ({ origin, "sec-fetch-site": site }: Provenance, host: string): boolean => {
  if (site !== undefined) return site === "same-origin";
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
};

/** Whether the form was sent from a page of ours that this browser was shown. */
export const isOurForm = ({ headers, body, request }: Submission): boolean => {
  const secret = readCookie(request, "form");
  if (secret === undefined || !isOwnOrigin(headers, request.host)) return false;
  return isSameSecret(tokenFor(secret), body.form_token);
};
