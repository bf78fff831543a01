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
    "A code is valid for 10 minutes and works once. A sign-in allows 5 tries, an account 30 wrong codes an hour. " +
    "Without `session_id` the latest sign-in from the caller's address is used. The reply is the same for a " +
    "wrong code, an expired one and a sign-in that does not exist.",
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
  summary: "List one's pending sign-ins",
  description:
    "From all devices, newest first: at most five for each network that the account has signed in from, and five " +
    "for all others together, each for 10 minutes. The number is not included: it must be read where the sign-in " +
    "began.",
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
  summary: "Approve a pending sign-in of one's own",
  description:
    "On a device where the same person is signed in already, with a second factor. The number shown where the " +
    "sign-in began must be repeated, so that nobody approves a stranger's sign-in. The person who signs in then " +
    "gets the token from `login-status`.",
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
  summary: "Reject a pending sign-in of one's own",
  description: "On a device where the same person is signed in already. Codes are then refused too.",
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
  summary: "Get the status of a pending sign-in",
  description: "Poll it every few seconds. Once the sign-in is approved, the first reply has the token.",
  request: { query: z.object({ email: username, session_id: loginSessionId }) },
  replies: { 200: { description: "How things stand.", body: signInStatus } },
  faults: ["not_a_member", "database_unavailable"],
});
