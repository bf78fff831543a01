import * as z from "zod";
import type { ReplyContract } from "./contract.ts";

const parameter = z.string().max(2000).optional();

/** The authorization request of an app (RFC 6749 §4.1.1, RFC 7636 §4.3), which all pages of a sign-in carry. */
export const authorizationRequest = z.object({
  response_type: parameter.describe("`code`."),
  client_id: parameter.describe("The id of a registered client."),
  redirect_uri: parameter.describe("One of the client's redirect URIs, exactly. May be left out if there is only one."),
  state: parameter.describe("Returned with the result."),
  scope: parameter.describe("Separated by blanks. By default all that the client is registered for."),
  code_challenge: parameter.describe("PKCE (RFC 7636): required for public clients."),
  code_challenge_method: parameter.describe("`S256`."),
});

/** For all form fields. Errors are shown on the page of the form. */
export const typed = z.string().max(4096).default("");

export const formToken = z
  .string()
  .max(200)
  .default("")
  .describe("Proves that the form was sent from the platform's own page.");

export const provenance = z.object({
  origin: z.string().max(2000).optional().describe("The origin that sent the form."),
  "sec-fetch-site": z.string().max(40).optional().describe("What the browser says of where it was sent from."),
});

export const page = (description: string): ReplyContract & { readonly body: z.ZodString } => ({
  description,
  body: z.string(),
  contentType: "text/html; charset=utf-8",
});

export const onwards = (description: string) => ({ description, headers: { location: "Where to go on." } });

export const stale = page("The form was not sent from the platform's page, or the page is too old.");

export const mistyped = page("The same page with an error message.");

export const tooMany = page("The same page with the time to wait.");

export const shared = {
  area: "sign-in",
  access: "public",
  page: true,
} as const;

export const form = <F extends z.ZodRawShape>(fields: F) => ({
  bodyTypes: ["application/x-www-form-urlencoded"] as const,
  query: authorizationRequest,
  headers: provenance,
  body: z.object({ form_token: formToken, ...fields }),
});
