import * as z from "zod";
import { defineContract, type ReplyContract } from "./contract.ts";

const parameter = z.string().max(2000).optional();

/** The authorization request of an app (RFC 6749 §4.1.1, RFC 7636 §4.3), which every page of a sign-in carries along. */
const authorizationRequest = z.object({
  response_type: parameter.describe("`code`."),
  client_id: parameter.describe("The id of a registered client."),
  redirect_uri: parameter.describe("One of the client's redirect URIs, exactly. May be left out if there is only one."),
  state: parameter.describe("Comes back with the answer."),
  scope: parameter.describe("Separated by blanks. Without it, all that the client is registered for."),
  code_challenge: parameter.describe("PKCE (RFC 7636): required for public clients."),
  code_challenge_method: parameter.describe("`S256`."),
});

/** Of whatever a person types: what is wrong with it is said on the page that they typed it on. */
const typed = z.string().max(4096).default("");

const formToken = z.string().max(200).default("").describe("Proves that the form was sent from our own page.");

const provenance = z.object({
  origin: z.string().max(2000).optional().describe("Where the form was sent from."),
  "sec-fetch-site": z.string().max(40).optional().describe("What the browser says of where it was sent from."),
});

const page = (description: string): ReplyContract & { readonly body: z.ZodString } => ({
  description,
  body: z.string(),
  contentType: "text/html; charset=utf-8",
});

const onwards = (description: string) => ({ description, headers: { location: "Where to go on." } });

const stale = page("The form was not sent from our page, or the page is too old.");

const mistyped = page("The same page, which says what is wrong.");

const tooMany = page("The same page, which says for how long to wait.");

const shared = {
  area: "sign-in",
  access: "public",
  page: true,
} as const;

const form = <F extends z.ZodRawShape>(fields: F) => ({
  bodyTypes: ["application/x-www-form-urlencoded"] as const,
  query: authorizationRequest,
  headers: provenance,
  body: z.object({ form_token: formToken, ...fields }),
});

export const showAuthorization = defineContract({
  ...shared,
  operation: "showAuthorization",
  method: "GET",
  path: "/v1/oauth2/authorize",
  oauth: true,
  summary: "The page on which a person signs in and lets an app act for them",
  description:
    "The authorization endpoint of OAuth 2.0 (RFC 6749 §3.1) for the browser: it asks for email and password, for the second factor " +
    "of an account that has one, and then whether the app may act for the person, every time. It ends at the app's redirect URI, " +
    "with `code` or with `error`, and with `state` and `iss` (RFC 9207). A request of an unknown client or with a redirect URI " +
    "that is not registered stays on the page. It works without scripts.",
  request: { query: authorizationRequest },
  replies: {
    200: page("The next step: to sign in, to enter a code, or to decide."),
    303: onwards("Back to the app, which has asked for something that it cannot have."),
  },
  faults: ["invalid_request", "database_unavailable"],
});

export const submitPassword = defineContract({
  ...shared,
  operation: "submitPassword",
  method: "POST",
  path: "/v1/sign-in/password",
  oauth: true,
  summary: "Sign in on the page",
  description:
    "Under the limits of `POST /v1/oauth2/login`. The browser is then signed in for these pages alone, for 12 hours at most; the " +
    "person finds it among their sessions and can end it there.",
  request: form({ username: typed.describe("The email."), password: typed }),
  replies: { 303: onwards("To the next step."), 403: stale, 422: mistyped, 429: tooMany },
  faults: ["invalid_request", "dependency_unavailable", "database_unavailable"],
});

export const submitCode = defineContract({
  ...shared,
  operation: "submitCode",
  method: "POST",
  path: "/v1/sign-in/code",
  oauth: true,
  summary: "Enter the code of the second factor on the page",
  description: "Under the limits of `POST /v1/oauth2/verify-2fa`.",
  request: form({ code: typed }),
  replies: { 303: onwards("To the next step."), 403: stale, 422: mistyped, 429: tooMany },
  faults: ["invalid_request", "database_unavailable"],
});

export const checkApproval = defineContract({
  ...shared,
  operation: "checkApproval",
  method: "POST",
  path: "/v1/sign-in/approval",
  oauth: true,
  summary: "Go on once another device has approved",
  request: form({}),
  replies: { 303: onwards("To the next step."), 403: stale, 422: mistyped, 429: tooMany },
  faults: ["invalid_request", "database_unavailable"],
});

export const decideAuthorization = defineContract({
  ...shared,
  operation: "decideAuthorization",
  method: "POST",
  path: "/v1/sign-in/decision",
  oauth: true,
  summary: "Let the app act for oneself, or not",
  request: form({
    decision: typed.describe("`allow` or `deny`."),
    organization_id: typed.describe("Where the app shall act, if it belongs to no organization itself."),
  }),
  replies: { 303: onwards("Back to the app."), 403: stale, 422: mistyped, 429: tooMany },
  faults: ["invalid_request", "database_unavailable"],
});

export const leavePages = defineContract({
  ...shared,
  operation: "leavePages",
  method: "POST",
  path: "/v1/sign-in/sign-out",
  oauth: true,
  summary: "Sign out of the pages, to sign in as somebody else",
  request: form({}),
  replies: { 303: onwards("To the first step."), 403: stale },
  faults: ["invalid_request", "database_unavailable"],
});

export const showForgotPassword = defineContract({
  ...shared,
  operation: "showForgotPassword",
  method: "GET",
  path: "/v1/sign-in/forgot-password",
  summary: "The page for people who have forgotten their password",
  request: { query: authorizationRequest },
  replies: { 200: page("A form that asks for the email.") },
  faults: [],
});

export const submitForgotPassword = defineContract({
  ...shared,
  operation: "submitForgotPassword",
  method: "POST",
  path: "/v1/sign-in/forgot-password",
  summary: "Ask for the mail that leads to a new password",
  description: "As `POST /v1/forgot-password`: the answer is the same for every address.",
  request: form({ email: typed }),
  replies: { 200: page("If there is such an account, the mail is on its way."), 403: stale, 422: mistyped },
  faults: ["database_unavailable"],
});

const resetToken = z.string().max(200).default("").describe("From the mail.");

export const showResetPassword = defineContract({
  ...shared,
  operation: "showResetPassword",
  method: "GET",
  path: "/v1/sign-in/reset-password",
  summary: "The page that the mail leads to",
  description: "Opening it uses nothing up: mail programs look at links before people do.",
  request: { query: z.object({ token: resetToken }) },
  replies: { 200: page("A form that asks for the new password.") },
  faults: [],
});

export const submitResetPassword = defineContract({
  ...shared,
  operation: "submitResetPassword",
  method: "POST",
  path: "/v1/sign-in/reset-password",
  summary: "Set a new password on the page",
  description: "As `POST /v1/reset-password`.",
  request: {
    bodyTypes: ["application/x-www-form-urlencoded"],
    headers: provenance,
    body: z.object({ form_token: formToken, token: resetToken, password: typed }),
  },
  replies: { 200: page("The new password counts."), 403: stale, 422: mistyped },
  faults: ["database_unavailable"],
});
