import * as z from "zod";
import { defineContract } from "./contract.ts";
import { password } from "./identity-bodies.ts";

export const confirmEmail = defineContract({
  operation: "confirmEmail",
  area: "identity",
  method: "POST",
  path: "/v1/auth/email/confirm",
  access: "public",
  summary: "Confirm an email with a mailed token",
  description:
    "The token is in the registration mail. It is valid for 3 days and works once. The account's password is " +
    "required too, because whoever created the account must also be able to read the mail. Setting a new " +
    "password with a mailed token and signing in with a mailed code confirm the email too. Operators can then " +
    "add the person to further organizations.",
  request: {
    body: z
      .object({ token: z.string().min(1).max(200).describe("From the mail."), password })
      .meta({ id: "ConfirmEmailRequest" }),
  },
  replies: { 204: { description: "The email is confirmed." } },
  faults: ["invalid_confirmation_token", "wrong_password", "too_many_attempts", "database_unavailable"],
});

export const requestEmailConfirmation = defineContract({
  operation: "requestEmailConfirmation",
  area: "identity",
  method: "POST",
  path: "/v1/auth/email/confirmation",
  access: "user",
  refusesApps: true,
  summary: "Ask for another mail that confirms one's email",
  description: "At most 3 of its links are valid at a time, including the one of the registration.",
  request: {},
  replies: {
    202: {
      description: "The mail has been sent.",
      body: z
        .object({ detail: z.string().describe("A sentence that names the address.") })
        .meta({ id: "EmailConfirmationAnswer" }),
    },
  },
  faults: ["email_confirmed", "too_many_attempts", "dependency_unavailable"],
  idempotent: true,
});
