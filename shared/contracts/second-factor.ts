import * as z from "zod";
import { defineContract } from "./contract.ts";
import { token, username } from "./identity-bodies.ts";
import {
  approved,
  decidableSignIn,
  loginSessionId,
  matchingNumber,
  pendingSignIns,
  rejected,
  secondFactorCode,
  signInStatus,
} from "./second-factor-bodies.ts";

export const verifySecondFactor = defineContract({
  operation: "verifySecondFactor",
  area: "identity",
  method: "POST",
  path: "/v1/oauth2/verify-2fa",
  access: "public",
  summary: "Finish a sign-in with a code",
  description:
    "The code is valid for 10 minutes and works once; a sign-in bears 5 tries and an account 30 wrong codes an hour. Without " +
    "`session_id` the latest sign-in that was begun from the caller's address is meant. A wrong code, one that is past its time and a " +
    "sign-in that nobody has begun are answered alike.",
  request: {
    body: z
      .object({ email: username, code: secondFactorCode, session_id: loginSessionId.optional() })
      .meta({ id: "Verify2FAPayload" }),
  },
  replies: { 200: { description: "Signed in.", body: token } },
  faults: ["invalid_code", "not_a_member", "too_many_attempts", "dependency_unavailable", "database_unavailable"],
});

export const listPendingSignIns = defineContract({
  operation: "listPendingSignIns",
  area: "identity",
  method: "GET",
  path: "/v1/auth/approval",
  access: "user",
  refusesApps: true,
  summary: "One's own sign-ins that wait to be approved",
  description:
    "On whatever device they were begun, newest first: at most five of each network that the account has signed in from, and five " +
    "of all others together, 10 minutes each. The number is not among it: it must be read where the sign-in was begun.",
  request: {},
  replies: { 200: { description: "The sign-ins.", body: pendingSignIns } },
  faults: [],
});

export const approveSignIn = defineContract({
  operation: "approveSignIn",
  area: "identity",
  method: "POST",
  path: "/v1/oauth2/approve-2fa",
  access: "user",
  refusesApps: true,
  summary: "Let a waiting sign-in of one's own in",
  description:
    "From a device on which the same person is signed in already, with a second factor. The number shown where the sign-in was begun " +
    "must be repeated, so that nobody approves what a stranger has begun. Whoever signs in is then handed the token by `login-status`.",
  request: {
    body: z.object({ session_id: decidableSignIn, number: matchingNumber }).meta({ id: "ApproveSignInRequest" }),
  },
  replies: { 200: { description: "The sign-in is approved.", body: approved } },
  faults: ["wrong_number", "sign_in_not_found", "sign_in_decided"],
});

export const rejectSignIn = defineContract({
  operation: "rejectSignIn",
  area: "identity",
  method: "POST",
  path: "/v1/oauth2/reject-2fa",
  access: "user",
  refusesApps: true,
  summary: "End a waiting sign-in of one's own",
  description: "From a device on which the same person is signed in already. No code opens the sign-in any more.",
  request: { body: z.object({ session_id: decidableSignIn }).meta({ id: "RejectSignInRequest" }) },
  replies: { 200: { description: "The sign-in is rejected.", body: rejected } },
  faults: ["sign_in_not_found", "sign_in_decided"],
});

export const getSignInStatus = defineContract({
  operation: "getSignInStatus",
  area: "identity",
  method: "GET",
  path: "/v1/oauth2/login-status",
  access: "public",
  summary: "What became of a sign-in that waits for its second factor",
  description: "Ask every few seconds. Once the sign-in is approved, the first to ask is handed the token.",
  request: { query: z.object({ email: username, session_id: loginSessionId }) },
  replies: { 200: { description: "How things stand.", body: signInStatus } },
  faults: ["not_a_member", "database_unavailable"],
});
