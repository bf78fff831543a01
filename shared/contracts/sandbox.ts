import * as z from "zod";
import { defineContract } from "./contract.ts";
import {
  sandbox,
  sandboxCreateRequest,
  sandboxDiff,
  sandboxList,
  sandboxPath,
  sandboxPush,
  sandboxUpdateRequest,
  sandboxUsersAnswer,
  sandboxUsersRequest,
} from "./sandbox-bodies.ts";

const atParent = "Only from the production organization: a token for a sandbox gets a 403.";

const flag = z
  .enum(["true", "false"])
  .default("false")
  .transform((text) => text === "true");

export const listSandboxes = defineContract({
  operation: "listSandboxes",
  area: "sandbox",
  method: "GET",
  path: "/v1/sandbox",
  access: "user",
  summary: "List the sandboxes",
  description: `All sandboxes of the active production organization, by name. ${atParent}`,
  request: {},
  replies: { 200: { description: "The sandboxes.", body: sandboxList } },
  faults: ["forbidden"],
});

export const getSandbox = defineContract({
  operation: "getSandbox",
  area: "sandbox",
  method: "GET",
  path: "/v1/sandbox/{name}",
  access: "user",
  summary: "Show a sandbox",
  description: `Tells how far a create or refresh has come that answered 202. ${atParent}`,
  request: { path: sandboxPath },
  replies: { 200: { description: "The sandbox.", body: sandbox } },
  faults: ["forbidden", "sandbox_not_found"],
});

export const createSandbox = defineContract({
  operation: "createSandbox",
  area: "sandbox",
  method: "POST",
  path: "/v1/sandbox",
  access: "admin",
  summary: "Create a sandbox",
  description:
    "Makes an isolated copy of the organization's configuration, with its active administrators as " +
    "users. Records and " +
    "secrets are not copied, messages are captured instead of sent, and scheduled items are paused. The " +
    "reply comes when " +
    "the copy is complete, and after 15 seconds at the latest. A sandbox whose creation has failed can " +
    "be created again. " +
    atParent,
  idempotent: true,
  request: { body: sandboxCreateRequest },
  replies: {
    201: { description: "The sandbox can be used.", body: sandbox },
    202: {
      description: "The copy is still being made. GET /v1/sandbox/{name} tells when it is complete.",
      body: sandbox,
    },
  },
  faults: [
    "sandbox_exists",
    "too_many_sandboxes",
    "sandbox_busy",
    "sandbox_failed",
    "conflict",
    "dependency_unavailable",
  ],
});

export const updateSandbox = defineContract({
  operation: "updateSandbox",
  area: "sandbox",
  method: "PATCH",
  path: "/v1/sandbox/{name}",
  access: "admin",
  summary: "Change a sandbox's description or settings",
  description: `A refresh keeps both. ${atParent}`,
  request: { path: sandboxPath, body: sandboxUpdateRequest },
  replies: { 200: { description: "The sandbox.", body: sandbox } },
  faults: ["sandbox_not_found", "sandbox_busy"],
});

export const refreshSandbox = defineContract({
  operation: "refreshSandbox",
  area: "sandbox",
  method: "POST",
  path: "/v1/sandbox/{name}/refresh",
  access: "admin",
  summary: "Reset a sandbox to the parent's configuration",
  description:
    "Makes a new copy and replaces the sandbox's data by it at once; everything that was done there is " +
    "lost. The old copy " +
    "can be used until it is replaced. Its users are then the active administrators of the parent, and " +
    "those who were its " +
    "users and are still active in the parent. A refresh that is running already is answered as it is. With " +
    `\`dry_run=true\` nothing is changed, and the reply is what the refresh would undo. ${atParent}`,
  request: {
    path: sandboxPath,
    query: z.object({ dry_run: flag.describe("Only tell what the refresh would undo.") }),
  },
  replies: {
    200: { description: "The refreshed sandbox, or the differences.", body: z.union([sandbox, sandboxDiff]) },
    202: {
      description: "The copy is still being made. GET /v1/sandbox/{name} tells when it is complete.",
      body: sandbox,
    },
  },
  faults: [
    "too_many_queries",
    "sandbox_not_found",
    "sandbox_busy",
    "sandbox_failed",
    "sandbox_refreshing",
    "dependency_unavailable",
  ],
});

export const deleteSandbox = defineContract({
  operation: "deleteSandbox",
  area: "sandbox",
  method: "DELETE",
  path: "/v1/sandbox/{name}",
  access: "admin",
  summary: "Delete a sandbox",
  description:
    "Ends access at once, and then removes the database, the entries in the lists of organizations, and " +
    "the apps that were " +
    "registered in the sandbox. A create or refresh that is running is given up. A repeated request is " +
    "answered in the same " +
    `way until the sandbox is gone. ${atParent}`,
  request: { path: sandboxPath },
  replies: {
    200: {
      description: "The sandbox is deleted, or is being deleted and can no longer be used.",
      body: z.object({ detail: z.string().describe("A sentence that says so.") }).meta({ id: "SandboxDeletion" }),
    },
  },
  faults: ["sandbox_not_found", "dependency_unavailable"],
});

export const addSandboxUsers = defineContract({
  operation: "addSandboxUsers",
  area: "sandbox",
  method: "POST",
  path: "/v1/sandbox/{name}/users",
  access: "admin",
  summary: "Let users into a sandbox",
  description:
    "Copies users of the production organization into the sandbox, with their permissions and role, and " +
    "enters it into " +
    `their lists of organizations. Users who are there already stay as they are. ${atParent}`,
  request: { path: sandboxPath, body: sandboxUsersRequest },
  replies: { 200: { description: "Who was added.", body: sandboxUsersAnswer } },
  faults: ["sandbox_not_found", "record_not_found", "sandbox_busy", "sandbox_refreshing"],
});

export const removeSandboxUsers = defineContract({
  operation: "removeSandboxUsers",
  area: "sandbox",
  method: "DELETE",
  path: "/v1/sandbox/{name}/users/{userIds}",
  access: "admin",
  summary: "Take users out of a sandbox",
  description:
    "Deletes their user records in the sandbox, ends their sessions there, and takes it out of their lists of " +
    `organizations. Their production users stay. ${atParent}`,
  request: {
    path: sandboxPath.extend({
      userIds: z.string().min(1).max(20_000).describe("Ids of users, separated by commas; at most 500."),
    }),
  },
  replies: { 204: { description: "They are no longer users of the sandbox." } },
  faults: ["sandbox_not_found", "record_not_found", "sandbox_busy", "sandbox_refreshing"],
});

export const diffSandbox = defineContract({
  operation: "diffSandbox",
  area: "sandbox",
  method: "GET",
  path: "/v1/sandbox/{name}/diff",
  access: "admin",
  summary: "Compare a sandbox with its parent",
  description:
    "The configuration that was added, changed and removed in the sandbox, or that has changed in the " +
    "parent since the " +
    "copy was made. Secrets, which are not copied, are no difference. Nothing differs straight after a refresh. " +
    atParent,
  request: { path: sandboxPath },
  replies: { 200: { description: "The differences.", body: sandboxDiff } },
  faults: ["too_many_queries", "sandbox_not_found", "sandbox_busy", "sandbox_refreshing"],
});

export const pushSandboxApp = defineContract({
  operation: "pushSandboxApp",
  area: "sandbox",
  method: "POST",
  path: "/v1/sandbox/{name}/app/{app}/push/{target}",
  access: "admin",
  idempotent: true,
  summary: "Deploy an app from a sandbox",
  description:
    "Brings an app's configuration, as it is in the sandbox, to the production organization or to " +
    "another sandbox: the app, " +
    "its pages and values, the objects and fields that belong to it, and its automations, functions, triggers and " +
    "templates. What the target has besides stays. Values that were masked in the sandbox stay as they " +
    "are in the target. " +
    `Nothing is changed if something cannot be applied. It may be repeated. ${atParent}`,
  request: {
    path: sandboxPath.extend({
      app: z.string().min(1).max(200).describe("The app's id, api_name or name."),
      target: z
        .string()
        .min(1)
        .max(200)
        .describe("The id of the production organization, or the name of another sandbox."),
    }),
  },
  replies: { 200: { description: "What was done.", body: sandboxPush } },
  faults: [
    "sandbox_not_found",
    "record_not_found",
    "sandbox_busy",
    "sandbox_refreshing",
    "conflict",
    "duplicate_value",
    "values_do_not_fit",
    "in_use",
    "object_not_found",
    "standard_object",
    "too_many_queries",
    "too_many_functions",
    "dependency_unavailable",
  ],
});
