import * as z from "zod";
import { defineContract } from "./contract.ts";
import { email, newPassword, password } from "./identity-bodies.ts";

export const changePassword = defineContract({
  operation: "changePassword",
  area: "identity",
  method: "POST",
  path: "/v1/auth/password",
  access: "user",
  refusesApps: true,
  summary: "Change one's password",
  description: "Every other session of the person ends, those of apps too. They are told by mail.",
  request: {
    body: z.object({ current_password: password, password: newPassword }).meta({ id: "ChangePasswordRequest" }),
  },
  replies: { 204: { description: "The new password counts." } },
  faults: ["wrong_password", "too_many_attempts"],
});

export const forgotPassword = defineContract({
  operation: "forgotPassword",
  area: "identity",
  method: "POST",
  path: "/v1/forgot-password",
  access: "public",
  summary: "Ask for a token that sets a new password",
  description:
    "It is mailed to the address, if an account has it: valid for 30 minutes, once, and at most 3 at a time. The answer is the same for " +
    "every address and takes two seconds. So many are worked on at a time, and so many of one network; one more is answered 429 at " +
    "once, whatever its address.",
  request: { body: z.object({ email }).meta({ id: "ForgotPasswordRequest" }) },
  replies: {
    202: {
      description: "If there is such an account, the mail is on its way.",
      body: z.object({ detail: z.string().describe("The same sentence.") }).meta({ id: "ForgotPasswordAnswer" }),
    },
  },
  faults: ["too_many_attempts", "database_unavailable"],
});

export const resetPassword = defineContract({
  operation: "resetPassword",
  area: "identity",
  method: "POST",
  path: "/v1/reset-password",
  access: "public",
  summary: "Set a new password with a mailed token",
  description:
    "Every session of the person ends, and they are told by mail. It confirms their email. A second factor stays and is asked for at " +
    "the next sign-in; but if the email was not confirmed before, an authenticator app goes, since it may have been somebody else's.",
  request: {
    body: z
      .object({ token: z.string().min(1).max(200).describe("From the mail."), password: newPassword })
      .meta({ id: "ResetPasswordRequest" }),
  },
  replies: { 204: { description: "The new password counts." } },
  faults: ["invalid_reset_token", "database_unavailable"],
});
