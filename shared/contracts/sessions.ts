import * as z from "zod";
import { id, timestamp } from "./common.ts";
import { defineContract } from "./contract.ts";

const session = z
  .object({
    id,
    current: z.boolean().describe("Whether this request uses the session."),
    kind: z
      .enum(["device", "browser", "app"])
      .describe(
        "`device`: the person signed in there. `browser`: a browser on the sign-in pages. `app`: it acts for the " +
          "person.",
      ),
    organization_id: id.describe(
      "The session's active organization. For a colleague's session it is the one that both belong to.",
    ),
    app: z
      .object({ id: id.describe("The app's client_id."), name: z.string().describe("The app's name.") })
      .nullable()
      .describe("The app that acts in it; null if the person signed in themselves."),
    scope: z.string().describe("What the app may do; `all` for the person."),
    second_factor: z.boolean().describe("Whether a second factor was given in the session."),
    address: z
      .string()
      .describe("The IP address where it began. Empty for a colleague's browser that signed in elsewhere."),
    user_agent: z.string().describe("The user agent. Empty if `address` is."),
    created_date: timestamp,
    expires_at: timestamp,
  })
  .meta({ id: "Session" });

const whose = z.object({
  user_id: id.optional().describe("A user of the organization, for administrators. By default the caller."),
});

export const listSessions = defineContract({
  operation: "listSessions",
  area: "identity",
  method: "GET",
  path: "/v1/auth/session",
  access: "user",
  refusesApps: true,
  summary: "List one's sessions",
  description:
    "The caller's own sessions, the newest 200: devices, and apps that act for the caller. Administrators may " +
    "list the sessions of a user that can act in the organization: sessions that act there, and browsers on the " +
    "sign-in pages, which can authorize apps. The list does not say in which other organizations a colleague " +
    "works, or from where.",
  request: { query: whose },
  replies: {
    200: { description: "The sessions.", body: z.object({ sessions: z.array(session) }).meta({ id: "Sessions" }) },
  },
  faults: ["forbidden", "record_not_found"],
});

export const endSession = defineContract({
  operation: "endSession",
  area: "identity",
  method: "DELETE",
  path: "/v1/auth/session/{id}",
  access: "user",
  refusesApps: true,
  summary: "Sign a device out, or end what an app was allowed",
  description:
    "Ends one of the caller's own sessions; its tokens stop working at once. Administrators may end sessions of " +
    "a user of the organization whom they name. Only owners may end an owner's.",
  request: { path: z.object({ id }), query: whose },
  replies: { 204: { description: "The session has ended." } },
  faults: ["session_not_found", "forbidden", "record_not_found"],
});

const auditTypes = [
  "signed_in",
  "sign_in_refused",
  "second_factor_asked",
  "second_factor_refused",
  "sign_in_approved",
  "sign_in_rejected",
  "signed_out",
  "session_ended",
  "password_changed",
  "password_reset_asked",
  "password_reset",
  "email_confirmed",
  "totp_enabled",
  "totp_disabled",
  "client_created",
  "client_adopted",
  "client_deleted",
  "grant_issued",
  "grant_revoked",
] as const;

const auditEntry = z
  .object({
    id,
    at: timestamp,
    type: z.enum(auditTypes).describe("What happened."),
    user_id: id.nullable().describe("To whose access."),
    session_id: id
      .nullable()
      .describe("The session that it concerns or in which it was done; null if `address` is empty."),
    client_id: id.nullable().describe("The app that it concerns."),
    address: z
      .string()
      .describe(
        "The IP address where it was done. Empty for what a user of several organizations did outside this one.",
      ),
    user_agent: z.string().describe("The user agent. Empty if `address` is."),
  })
  .meta({ id: "AuditEntry" });

export const listAudit = defineContract({
  operation: "listAudit",
  area: "identity",
  method: "GET",
  path: "/v1/auth/audit",
  access: "user",
  refusesApps: true,
  summary: "List security events",
  description:
    "Every sign-in, refusal, grant and revocation: who, when, from where. Newest first, kept for 400 days. " +
    "Administrators may list the whole organization's events: what was done in it, and what happened to the " +
    "accounts of its users (passwords, second factors, refused sign-ins). The address of the latter is shown " +
    "only for users of no other organization, or if it was done in this one.",
  request: {
    query: z.object({
      of: z.enum(["me", "organization"]).default("me").describe("`organization` is for administrators."),
      limit: z.coerce.number().int().min(1).max(500).default(100).describe("At most so many."),
      before: id.optional().describe("Continue after the entry with this id: `next` of the reply before."),
    }),
  },
  replies: {
    200: {
      description: "The entries.",
      body: z
        .object({
          entries: z.array(auditEntry),
          next: id.optional().describe("There are more entries; send it as `before`."),
        })
        .meta({ id: "AuditEntries" }),
    },
  },
  faults: ["forbidden"],
});
