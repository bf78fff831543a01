import * as z from "zod";
import { defineContract } from "./contract.ts";
import {
  authorizationRequest,
  form,
  formToken,
  mistyped,
  page,
  provenance,
  shared,
  stale,
  tooMany,
  typed,
} from "./sign-in-page-parts.ts";

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
  summary: "Ask for a mail with a link to set a new password",
  description: "The limits of `POST /v1/forgot-password` apply. The reply is the same for every address.",
  request: form({ email: typed }),
  replies: {
    200: page("If there is such an account, the mail is being sent."),
    403: stale,
    422: mistyped,
    429: tooMany,
  },
  faults: ["database_unavailable"],
});

const mailedToken = z.string().max(200).default("").describe("From the mail.");

export const showResetPassword = defineContract({
  ...shared,
  operation: "showResetPassword",
  method: "GET",
  path: "/v1/sign-in/reset-password",
  summary: "The page that the mailed link opens",
  description: "Opening it does not use the link up, because mail programs open links too.",
  request: { query: z.object({ token: mailedToken }) },
  replies: { 200: page("A form that asks for the new password.") },
  faults: [],
});

export const submitResetPassword = defineContract({
  ...shared,
  operation: "submitResetPassword",
  method: "POST",
  path: "/v1/sign-in/reset-password",
  summary: "Set a new password on the page",
  description: "Like `POST /v1/reset-password`.",
  request: {
    bodyTypes: ["application/x-www-form-urlencoded"],
    headers: provenance,
    body: z.object({ form_token: formToken, token: mailedToken, password: typed }),
  },
  replies: { 200: page("The new password is set."), 403: stale, 422: mistyped },
  faults: ["database_unavailable"],
});

export const showConfirmEmail = defineContract({
  ...shared,
  operation: "showConfirmEmail",
  method: "GET",
  path: "/v1/sign-in/confirm-email",
  summary: "The page that the link of the registration mail opens",
  description: "Opening it does not use the link up, because mail programs open links too.",
  request: { query: z.object({ token: mailedToken }) },
  replies: { 200: page("A form that asks for the account's password.") },
  faults: [],
});

export const submitConfirmEmail = defineContract({
  ...shared,
  operation: "submitConfirmEmail",
  method: "POST",
  path: "/v1/sign-in/confirm-email",
  summary: "Confirm the email on the page",
  description: "Like `POST /v1/auth/email/confirm`.",
  request: {
    bodyTypes: ["application/x-www-form-urlencoded"],
    headers: provenance,
    body: z.object({ form_token: formToken, token: mailedToken, password: typed }),
  },
  replies: { 200: page("The email is confirmed."), 403: stale, 422: mistyped, 429: tooMany },
  faults: ["database_unavailable"],
});
