import * as z from "zod";
import { timestamp } from "./common.ts";
import { defineContract } from "./contract.ts";
import { password } from "./identity-bodies.ts";
import { secondFactorCode } from "./second-factor-bodies.ts";

export const enrolTotp = defineContract({
  operation: "enrolTotp",
  area: "identity",
  method: "POST",
  path: "/v1/auth/totp",
  access: "user",
  refusesApps: true,
  summary: "Begin to set up an authenticator app",
  description:
    "Gives a secret for the app (RFC 6238: SHA-1, 6 digits, 30 seconds). Nothing changes before `confirm` gets a " +
    "code of it. A second call replaces the secret. If an organization of the caller requires a second factor, " +
    "the session must have one already.",
  request: { body: z.object({ password }).meta({ id: "EnrolTotpRequest" }) },
  replies: {
    200: {
      description: "The secret, shown only this once.",
      body: z
        .object({
          secret: z.string().describe("Base32, to be typed into the app."),
          otpauth_uri: z.string().describe("The same for a QR code."),
          expires_at: timestamp.describe("It must be confirmed within 15 minutes, until this time."),
        })
        .meta({ id: "TotpEnrolment" }),
    },
  },
  faults: ["wrong_password", "totp_enabled", "too_many_attempts", "dependency_unavailable"],
});

export const confirmTotp = defineContract({
  operation: "confirmTotp",
  area: "identity",
  method: "POST",
  path: "/v1/auth/totp/confirm",
  access: "user",
  refusesApps: true,
  summary: "Turn the authenticator app on with its first code",
  description:
    "From then on every sign-in asks for a code of the app. This session counts as one with a second factor; all " +
    "other sessions of the person end. The person is told by mail.",
  request: {
    body: z
      .object({
        code: z
          .string()
          .trim()
          .regex(/^\d{6}$/, "Six digits are required.")
          .describe("The current code of the app.")
          .meta({ examples: ["123456"] }),
      })
      .meta({ id: "ConfirmTotpRequest" }),
  },
  replies: {
    200: {
      description: "It is on.",
      body: z
        .object({
          recovery_codes: z
            .array(z.string())
            .describe("Ten codes, shown only this once. Each works once instead of a code of the app."),
        })
        .meta({ id: "RecoveryCodes" }),
    },
  },
  faults: ["wrong_code", "totp_enabled", "totp_not_enabled", "too_many_attempts", "dependency_unavailable"],
});

export const disableTotp = defineContract({
  operation: "disableTotp",
  area: "identity",
  method: "POST",
  path: "/v1/auth/totp/disable",
  access: "user",
  refusesApps: true,
  summary: "Turn the authenticator app off",
  description:
    "The account gets back the second factor that it had before, if any. All other sessions of the person end. " +
    "The person is told by mail.",
  request: { body: z.object({ password, code: secondFactorCode }).meta({ id: "DisableTotpRequest" }) },
  replies: { 204: { description: "It is off." } },
  faults: ["wrong_password", "wrong_code", "totp_not_enabled", "too_many_attempts", "dependency_unavailable"],
});
