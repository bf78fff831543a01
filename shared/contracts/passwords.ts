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
  description: "All other sessions of the person end, including those of apps. The person is told by mail.",
  request: {
    body: z.object({ current_password: password, password: newPassword }).meta({ id: "ChangePasswordRequest" }),
  },
  replies: { 204: { description: "The new password is set." } },
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
    "The token is mailed to the address if it has an account. It is valid for 30 minutes and works once; at most " +
    "3 are valid at a time. The reply is the same for every address and takes two seconds. The requests that are " +
    "handled at a time are limited, in all and for each network; one more is answered 429 at once, for any " +
    "address.",
  request: { body: z.object({ email }).meta({ id: "ForgotPasswordRequest" }) },
  replies: {
    202: {
      description: "If there is such an account, the mail is being sent.",
      body: z
        .object({ detail: z.string().describe("The same sentence for every address.") })
        .meta({ id: "ForgotPasswordAnswer" }),
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
    "All sessions of the person end, and the person is told by mail. It confirms the email. A second factor " +
    "stays and is asked for at the next sign-in. But if the email was not confirmed before, an authenticator app " +
    "is removed, because it may be somebody else's.",
  request: {
    body: z
      .object({ token: z.string().min(1).max(200).describe("From the mail."), password: newPassword })
      .meta({ id: "ResetPasswordRequest" }),
  },
  replies: { 204: { description: "The new password is set." } },
  faults: ["invalid_reset_token", "database_unavailable"],
});
