import * as z from "zod";
import { id } from "./common.ts";
import { defineContract } from "./contract.ts";
import {
  accessToken,
  email,
  loadedOrganization,
  loadedPermission,
  loadedUser,
  namePart,
  newPassword,
  organizationListEntry,
  organizationName,
  password,
  refreshToken,
  registeredToken,
  token,
  username,
} from "./identity-bodies.ts";
import { twoFactorResponse } from "./second-factor-bodies.ts";

export const register = defineContract({
  operation: "register",
  area: "identity",
  method: "POST",
  path: "/v1/register",
  access: "public",
  summary: "Create an organization and its owner",
  description:
    "Creates the organization, its own database with the standard objects, a permission `Standard member` to give to colleagues, " +
    "and the caller as the account owner, who is signed in at once and mailed a link that confirms the email. Either all of it comes to " +
    "be or nothing: a registration that fails can simply be sent again; one that was cut off frees its email after a minute.",
  request: {
    body: z
      .object({
        organization_name: organizationName,
        email,
        password: newPassword,
        first_name: namePart.optional().describe("The owner's given name."),
        last_name: namePart.optional().describe("The owner's family name."),
      })
      .meta({ id: "RegisterRequest" }),
  },
  replies: {
    201: { description: "The organization exists and its owner is signed in.", body: registeredToken },
  },
  faults: ["registration_closed", "email_taken", "database_unavailable"],
});

export const login = defineContract({
  operation: "login",
  area: "identity",
  method: "POST",
  path: "/v1/oauth2/login",
  access: "public",
  summary: "Sign in with email and password",
  description:
    "Answers a token for the organization that was used last, else for the first of the person's organizations. An unknown email, a " +
    "wrong password and a deactivated account are answered alike. After 5 failures an email cannot be used from that address for " +
    "15 minutes; after 50 in an hour the account cannot be used from any address that it has not signed in from before. An account with " +
    "a second factor, and anybody of whose organizations one requires it (`settings.require_second_factor`), is answered a " +
    "TwoFAResponse: who has no authenticator app is mailed a code. Send the code to `verify-2fa`, or ask `login-status` until " +
    "another device of the person's has approved. At most 5 sign-ins of an account from one network (an IPv4 address, an IPv6 /64) wait " +
    "at a time, and a sixth is refused. Those of all networks that it has not signed in from are at most 5 together: one more from " +
    "another network ends the oldest of the network that has most of them. After 30 of those in ten minutes no more are begun from " +
    "such networks; where the account has signed in within the last 180 days, others' sign-ins refuse and end none.",
  request: {
    bodyTypes: ["application/x-www-form-urlencoded"],
    body: z
      .object({
        username,
        password,
        grant_type: z.literal("password").optional().describe("May be left out."),
        scope: z
          .string()
          .max(1000)
          .optional()
          .describe(
            "Accepted for the sake of OAuth libraries; a sign-in with a password always has the person's full access.",
          ),
        client_id: z.string().max(200).optional().describe("Accepted for the sake of OAuth libraries."),
      })
      .meta({ id: "Body_login_route_v1_oauth2_login_post" }),
  },
  replies: {
    200: {
      description: "Signed in, or asked for the second factor.",
      body: z.union([token, twoFactorResponse]),
    },
  },
  faults: [
    "invalid_credentials",
    "not_a_member",
    "too_many_attempts",
    "dependency_unavailable",
    "database_unavailable",
  ],
});

export const refresh = defineContract({
  operation: "refresh",
  area: "identity",
  method: "POST",
  path: "/v1/oauth2/refresh",
  access: "public",
  summary: "Get a new access token",
  description:
    "The refresh token stays valid. The new access token is for the organization that is active in the session; if the person has " +
    "lost access to it, or has signed in without the second factor that it requires by now, for another one of theirs, and if there is " +
    "none left the answer is 401.",
  request: { body: refreshToken },
  replies: { 200: { description: "A new access token.", body: accessToken } },
  faults: ["invalid_refresh_token", "database_unavailable"],
});

export const loadAuth = defineContract({
  operation: "loadAuth",
  area: "identity",
  method: "GET",
  path: "/v1/auth/load",
  access: "user",
  summary: "Who am I, and what may I do here?",
  description:
    "Everything a client needs to start: the person, the active organization, the others to switch to, and the permissions.",
  request: {},
  replies: {
    200: {
      description: "The caller in the active organization.",
      body: z
        .object({
          user: loadedUser,
          organization: loadedOrganization,
          organizations: z
            .array(organizationListEntry)
            .describe(
              "All organizations and sandboxes that the person belongs to; for an organization's app, that organization alone.",
            ),
          permissions: z
            .array(loadedPermission)
            .describe("The person's permission records in the active organization."),
        })
        .meta({ id: "AuthLoadResponse" }),
    },
  },
  faults: [],
});

export const switchOrganization = defineContract({
  operation: "switchOrganization",
  area: "identity",
  method: "POST",
  path: "/v1/auth/switch",
  access: "user",
  refusesApps: true,
  allowsMissingSecondFactor: true,
  summary: "Work in another of one's organizations",
  description:
    "Answers a token for that organization in the same session, which remembers it for refreshes and for the next sign-in. " +
    "An organization that the caller does not belong to and one that does not exist are answered alike. One that requires a second " +
    "factor is closed to a session without: sign in again.",
  request: {
    body: z
      .object({ id: id.describe("The id of an organization or sandbox in the caller's list.") })
      .meta({ id: "SwitchOrganizationRequest" }),
  },
  replies: { 200: { description: "A token for that organization.", body: token } },
  faults: ["not_a_member", "second_factor_required"],
});

export const logout = defineContract({
  operation: "logout",
  area: "identity",
  method: "POST",
  path: "/v1/auth/logout",
  access: "user",
  reads: true,
  allowsMissingSecondFactor: true,
  summary: "End the session",
  description:
    "The session's access and refresh tokens, all of them, stop working at once and everywhere. Other sessions go on.",
  request: {},
  replies: { 204: { description: "The session has ended." } },
  faults: [],
});
