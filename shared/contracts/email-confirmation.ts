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
    "The mail of the registration has it; it is valid for 3 days and works once. The account's password is asked for too: who has made the " +
    "account and who reads the mail must be the same. A new password that is set with a mailed token and a " +
    "sign-in with a mailed code confirm the email too. From then on operators may add the person to further organizations.",
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
  description: "At most 3 of its links are live at a time, the one of the registration among them.",
  request: {},
  replies: {
    202: {
      description: "The mail is on its way.",
      body: z
        .object({ detail: z.string().describe("Where it was sent to, in a sentence.") })
        .meta({ id: "EmailConfirmationAnswer" }),
    },
  },
  faults: ["email_confirmed", "too_many_attempts", "dependency_unavailable"],
  idempotent: true,
});
