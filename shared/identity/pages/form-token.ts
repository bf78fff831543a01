import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { readCookie, writeCookie } from "./cookies.ts";
import type { BrowserFacts, Provenance, Submission } from "./visit.ts";

const tokenFor = (secret: string): string => createHmac("sha256", secret).update("form").digest("base64url");

export interface FormGuard {
  /** For a hidden field of each form. */
  readonly token: string;
  /** To be sent with the page, if the browser has none. */
  readonly cookies: readonly string[];
}

/** The guard of the forms on a page that this browser is about to be shown. */
export const formGuard = (facts: BrowserFacts): FormGuard => {
  const known = readCookie(facts, "form");
  return known === undefined ? newFormGuard() : { token: tokenFor(known), cookies: [] };
};

/** Another secret, so that forms shown to whoever sat here before are worth nothing. */
export const newFormGuard = (): FormGuard => {
  const secret = randomBytes(32).toString("base64url");
  return { token: tokenFor(secret), cookies: [writeCookie("form", secret)] };
};

/** What browsers say of a form's origin themselves; https://developer.mozilla.org/docs/Web/HTTP/Headers/Sec-Fetch-Site */
const isOwnOrigin = ({ origin, "sec-fetch-site": site }: Provenance, host: string): boolean => {
  if (site !== undefined) return site === "same-origin";
  return origin === undefined || (URL.canParse(origin) && new URL(origin).host === host);
};

/** Whether the form was sent from a page of ours that this browser was shown. */
export const isOurForm = ({ headers, body, request }: Submission): boolean => {
  const secret = readCookie(request, "form");
  if (secret === undefined || !isOwnOrigin(headers, request.host)) return false;
  const [expected, given] = [Buffer.from(tokenFor(secret)), Buffer.from(body.form_token)];
  return expected.length === given.length && timingSafeEqual(expected, given);
};
