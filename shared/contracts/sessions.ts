import * as z from "zod";
import { id, timestamp } from "./common.ts";
import { defineContract } from "./contract.ts";

const session = z
  .object({
    id,
    current: z.boolean().describe("Whether it is the one that this request comes from."),
    kind: z
      .enum(["device", "browser", "app"])
      .describe(
        "`device`: the person signed in there. `browser`: on the sign-in pages alone. `app`: it acts for the person.",
      ),
    organization_id: id.describe(
      "The organization that is active in it; of a colleague's session, the one that both work in.",
    ),
    app: z
      .object({ id: id.describe("The app's client_id."), name: z.string().describe("The app's name.") })
      .nullable()
      .describe("The app that acts in it; null where the person signed in themselves."),
    scope: z.string().describe("What the app may do; `all` for the person."),
    second_factor: z.boolean().describe("Whether a second factor was given at its beginning or since."),
    address: z
      .string()
      .describe(
        "The IP address that it began from; empty if it is a colleague's browser that has signed in elsewhere.",
      ),
    user_agent: z.string().describe("What the client said it was; empty where `address` is."),
    created_date: timestamp,
    expires_at: timestamp,
  })
  .meta({ id: "Session" });

const whose = z.object({
  user_id: id
    .optional()
    .describe("Whose: a user of the organization, for administrators. The caller's own if left out."),
});

export const listSessions = defineContract({
  operation: "listSessions",
  area: "identity",
  method: "GET",
  path: "/v1/auth/session",
  access: "user",
  refusesApps: true,
  summary: "Where one is signed in",
  description:
    "The caller's own sessions, the newest 200: devices, and apps that act for the caller. Administrators may ask for those in which " +
    "a user of the organization can act in it: sessions that act there, and browsers on the sign-in pages, which can let apps in. " +
    "In which other organizations a colleague works, and from where, they are not told.",
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
    "One of the caller's own sessions; its tokens stop working at once and everywhere. Administrators may end those of a user of the " +
    "organization whom they name; an owner's are ended by owners.",
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
      .describe("The session that it concerns or that it was done from; null where `address` is empty."),
    client_id: id.nullable().describe("The app that it concerns."),
    address: z
      .string()
      .describe(
        "The IP address that it was done from; empty for what a user of several organizations did outside of this one.",
      ),
    user_agent: z.string().describe("What the client said it was; empty where `address` is."),
  })
  .meta({ id: "AuditEntry" });

export const listAudit = defineContract({
  operation: "listAudit",
  area: "identity",
  method: "GET",
  path: "/v1/auth/audit",
  access: "user",
  refusesApps: true,
  summary: "What happened to one's access, or to everybody's",
  description:
    "Every sign-in, refusal, grant and revocation: who, when, from where. Newest first, kept for 400 days. Administrators may see the " +
    "whole organization's: what was done in it, and what happened to the accounts of its users (passwords, second factors, refused " +
    "sign-ins). From where the latter came they see only for users who work in no other organization, or if it was done in theirs.",
  request: {
    query: z.object({
      of: z.enum(["me", "organization"]).default("me").describe("`organization` is for administrators."),
      limit: z.coerce.number().int().min(1).max(500).default(100).describe("At most so many."),
      before: id.optional().describe("Go on after the entry with this id: `next` of the answer before."),
    }),
  },
  replies: {
    200: {
      description: "The entries.",
      body: z
        .object({
          entries: z.array(auditEntry),
          next: id.optional().describe("There is more; send it as `before`."),
        })
        .meta({ id: "AuditEntries" }),
    },
  },
  faults: ["forbidden"],
});
