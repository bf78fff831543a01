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
    "Creates the organization, its own database with the standard objects, a permission `Standard member` for " +
    "colleagues, and the caller as the account owner. The owner is signed in at once and gets a mail with a link " +
    "that confirms the email. A failed registration leaves nothing and can be sent again. After an interrupted " +
    "one the email is free again after a minute.",
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
    "Gives a token for the organization that was used last, else for the first of the person's organizations. " +
    "The reply is the same for an unknown email, a wrong password and a deactivated account. After 5 failures an " +
    "email cannot be used from that address for 15 minutes. After 50 in an hour the account can be used only " +
    "from addresses that it has signed in from before. If the account has a second factor, or if one of the " +
    "person's organizations requires one (`settings.require_second_factor`), the reply is a TwoFAResponse. " +
    "Without an authenticator app a code is mailed. Send the code to `verify-2fa`, or poll `login-status` until " +
    "the person has approved on another device. At most 5 sign-ins of an account from one network (an IPv4 " +
    "address, an IPv6 /64) can wait at a time; a sixth is refused. Networks that the account has not signed in " +
    "from have at most 5 together: one more from another network ends the oldest of the network with the most of " +
    "them. After 30 from such networks in ten minutes no more are accepted from them. Sign-ins from networks " +
    "that the account has signed in from within 180 days are neither refused nor ended by others.",
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
          .describe("Accepted for OAuth libraries. A sign-in with a password always has the person's full access."),
        client_id: z.string().max(200).optional().describe("Accepted for OAuth libraries."),
      })
      .meta({ id: "Body_login_route_v1_oauth2_login_post" }),
  },
  replies: {
    200: {
      description: "Signed in, or a second factor is required.",
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
    "The refresh token stays valid. The new access token is for the session's active organization. If the person " +
    "has lost access to it, or if it now requires a second factor that the session does not have, the token is " +
    "for another one of their organizations; if there is none, the reply is 401.",
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
  summary: "The caller, their organizations and permissions",
  description:
    "Everything that a client needs at its start: the person, the active organization, the person's other " +
    "organizations, and the permissions.",
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
              "All organizations and sandboxes that the person belongs to. For an organization's app it is that " +
                "organization alone.",
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
  summary: "Switch to another organization",
  description:
    "Gives a token for that organization in the same session. The session keeps it for refreshes and for the " +
    "next sign-in. The reply is the same for an organization that the caller does not belong to and for one that " +
    "does not exist. If the organization requires a second factor and the session has none, sign in again.",
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
  description: "Ends the session: its access and refresh tokens stop working at once. Other sessions continue.",
  request: {},
  replies: { 204: { description: "The session has ended." } },
  faults: [],
});
