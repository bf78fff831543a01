import { defineContract } from "./contract.ts";
import {
  authorizationRequest,
  form,
  mistyped,
  onwards,
  page,
  shared,
  stale,
  tooMany,
  typed,
} from "./sign-in-page-parts.ts";

export const showAuthorization = defineContract({
  ...shared,
  operation: "showAuthorization",
  method: "GET",
  path: "/v1/oauth2/authorize",
  oauth: true,
  summary: "The page on which a person signs in and lets an app act for them",
  description:
    "The authorization endpoint of OAuth 2.0 (RFC 6749 §3.1) for browsers. It asks for email and password, for " +
    "the second factor of an account that has one, and each time whether the app may act for the person. It ends " +
    "at the app's redirect URI, with `code` or with `error`, and with `state` and `iss` (RFC 9207). An error in " +
    "a request is sent to the app only after the person has signed in, has seen the address, and continues. A " +
    "request of an unknown client or with an unregistered redirect URI stays on the page. The pages work without " +
    "scripts.",
  request: { query: authorizationRequest },
  replies: { 200: page("The next step: sign in, enter a code, or decide.") },
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
    "The limits of `POST /v1/oauth2/login` apply. The browser is then signed in for these pages only, for 12 " +
    "hours at most. The person sees it among their sessions and can end it there.",
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
  description: "The limits of `POST /v1/oauth2/verify-2fa` apply.",
  request: form({ code: typed }),
  replies: { 303: onwards("To the next step."), 403: stale, 422: mistyped, 429: tooMany },
  faults: ["invalid_request", "dependency_unavailable", "database_unavailable"],
});

export const checkApproval = defineContract({
  ...shared,
  operation: "checkApproval",
  method: "POST",
  path: "/v1/sign-in/approval",
  oauth: true,
  summary: "Continue after another device has approved",
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
  summary: "Allow or deny the app's request",
  request: form({
    decision: typed.describe("`allow` or `deny`."),
    organization_id: typed.describe("The organization for the app, if the app belongs to none itself."),
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
  replies: { 303: onwards("Redirects to the first step."), 403: stale },
  faults: ["invalid_request", "database_unavailable"],
});
