import * as z from "zod";
import { timestamp } from "./common.ts";
import { token } from "./identity-bodies.ts";

export const loginSessionId = z
  .string()
  .min(1)
  .max(200)
  .describe("The id of a pending sign-in, from the reply of `login`. It is a secret of the person who signs in.");

export const decidableSignIn = z
  .string()
  .min(1)
  .max(200)
  .describe("The id of a pending sign-in, from `GET /v1/auth/approval` or from the reply of `login`.");

export const matchingNumber = z
  .string()
  .regex(/^\d{2}$/, "Two digits are required.")
  .describe("The two digits that are shown where the person signs in.")
  .meta({ examples: ["42"] });

export const secondFactorCode = z
  .string()
  // People type codes as they see them: `123 456`.
  .overwrite((text) => text.replace(/\s+/g, ""))
  .min(1)
  .max(64)
  .describe("Six digits, from a mail or an authenticator app, or a recovery code.")
  .meta({ examples: ["123456"] });

export const twoFactorResponse = z
  .object({
    detail: z.literal("2FA Required"),
    two_fa_required: z.literal(true).describe("The password was right. A second factor is required."),
    email: z.string().describe("The account's email address."),
    session_id: loginSessionId,
    number: matchingNumber.describe(
      "Show it to the person who signs in. It must be repeated on the device that approves.",
    ),
  })
  .meta({ id: "TwoFAResponse" });

export const signInStatus = z
  .object({
    status: z
      .enum(["pending", "approved", "rejected", "expired", "completed"])
      .describe(
        "`pending`: not decided. `approved`: the reply has the token, once. `completed`: the token has been " +
          "given out. `expired` is also the reply for a sign-in that does not exist.",
      ),
    token: token.optional(),
  })
  .meta({ id: "SignInStatus" });

const decided = <S extends string>(status: S) =>
  z.object({
    detail: z.string().describe("What happened, in a sentence."),
    session_id: decidableSignIn,
    status: z.literal(status),
  });

export const approved = decided("approved").meta({ id: "ApprovedSignIn" });

export const rejected = decided("rejected").meta({ id: "RejectedSignIn" });

export const pendingSignIns = z
  .object({
    sign_ins: z.array(
      z
        .object({
          session_id: z
            .string()
            .describe("Only for `approve-2fa` and `reject-2fa`. It cannot be exchanged for a token."),
          address: z.string().describe("The IP address where it began."),
          user_agent: z.string().describe("The user agent."),
          created_date: timestamp,
          expires_at: timestamp.describe("When it expires."),
        })
        .meta({ id: "PendingSignIn" }),
    ),
  })
  .meta({ id: "PendingSignIns" });
