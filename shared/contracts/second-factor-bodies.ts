import * as z from "zod";
import { timestamp } from "./common.ts";
import { token } from "./identity-bodies.ts";

export const loginSessionId = z
  .string()
  .min(1)
  .max(200)
  .describe(
    "The id of a sign-in that waits for its second factor, as `login` answered it. A secret of whoever signs in.",
  );

export const decidableSignIn = z
  .string()
  .min(1)
  .max(200)
  .describe("The id of a sign-in that waits, as `GET /v1/auth/approval` lists it or as `login` answered it.");

export const matchingNumber = z
  .string()
  .regex(/^\d{2}$/, "Two digits are required.")
  .describe("The two digits shown where someone signs in.")
  .meta({ examples: ["42"] });

export const secondFactorCode = z
  .string()
  // People type what they see: `123 456`.
  .overwrite((text) => text.replace(/\s+/g, ""))
  .min(1)
  .max(64)
  .describe("Six digits, from a mail or an authenticator app, or a recovery code.")
  .meta({ examples: ["123456"] });

export const twoFactorResponse = z
  .object({
    detail: z.literal("2FA Required"),
    two_fa_required: z.literal(true).describe("The password was right; a second factor is asked for."),
    email: z.string().describe("The account's email address."),
    session_id: loginSessionId,
    number: matchingNumber.describe("Show it to whoever signs in: a signed-in device that approves must repeat it."),
  })
  .meta({ id: "TwoFAResponse" });

export const signInStatus = z
  .object({
    status: z
      .enum(["pending", "approved", "rejected", "expired", "completed"])
      .describe(
        "`pending`: nobody has decided. `approved`: here is the token, once. `completed`: the token has been handed out. `expired` is " +
          "also the answer for a sign-in that does not exist.",
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
            .describe("For `approve-2fa` and `reject-2fa` alone: with it nobody is handed a token."),
          address: z.string().describe("The IP address that it was begun from."),
          user_agent: z.string().describe("What the client said it was."),
          created_date: timestamp,
          expires_at: timestamp.describe("Until when it waits."),
        })
        .meta({ id: "PendingSignIn" }),
    ),
  })
  .meta({ id: "PendingSignIns" });
