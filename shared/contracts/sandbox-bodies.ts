import * as z from "zod";
import { id, timestamp } from "./common.ts";

/** The part of the name that is in the id has at most 12 characters. */
export const SANDBOX_API_NAME_LENGTH = 12;

const sandboxName = z
  .string()
  .min(1)
  .max(40)
  .regex(/^[a-z0-9_]+$/, "Expected lowercase letters, digits and underscores.");

const newSandboxName = sandboxName
  .describe(
    `The name of the sandbox within its parent organization. Its first ${SANDBOX_API_NAME_LENGTH} ` +
      "characters are in the id, so " +
      "they must differ from those of the other sandboxes.",
  )
  .meta({ examples: ["staging"] });

export const sandboxPath = z.object({ name: sandboxName.describe("The name given at the creation of the sandbox.") });

/** Markdown. */
const sandboxDescription = z.string().max(10_000);

const sandboxStatus = z.enum(["provisioning", "active", "refreshing", "failed", "deleting"]);

const failedOperation = z.enum(["create", "refresh", "delete"]);

export const sandbox = z
  .object({
    id: id.describe("The id of the sandbox organization. Opaque."),
    name: z.string().describe("The display name: `<parent organization> (Sandbox: <sandbox_name>)`."),
    is_sandbox: z.literal(true),
    parent_organization_id: id.describe("The production organization that it is a copy of."),
    sandbox_name: z.string().describe("The name given at its creation."),
    description: z.string().nullable().describe("Markdown."),
    status: sandboxStatus.describe(
      "`provisioning`: its first copy is being made. `active`: it can be used. `refreshing`: a new copy is " +
        "being made; " +
        "the old one can be used until it is replaced. `failed`: it could not be created; delete it or " +
        "create it again. " +
        "`deleting`: it can no longer be used.",
    ),
    progress: z
      .object({
        step: z.string().describe("The step that is running; `done` if none is."),
        done: z.number().int().min(0).describe("Steps that have been completed."),
        total: z.number().int().min(0).describe("All steps of the operation."),
      })
      .describe("How far the operation that is running, or the last one, has come."),
    failure: z
      .object({
        operation: failedOperation.describe("What failed."),
        step: z.string().describe("The step at which it failed."),
        reason: z.string().describe("Why, and what can be done about it."),
        at: timestamp,
      })
      .nullable()
      .describe("The last operation's failure; null if it succeeded or is running."),
    enable_schedules: z
      .boolean()
      .describe("Whether scheduled items run in the sandbox. They are paused unless an administrator enables them."),
    users: z.number().int().min(0).describe("The number of users of the sandbox."),
    created_date: timestamp,
    refreshed_date: timestamp
      .nullable()
      .describe("When the copy was last made; null before the first one is complete."),
  })
  .meta({ id: "SandboxResponse" });

export const sandboxList = z.array(sandbox).meta({ id: "SandboxList" });

export const sandboxCreateRequest = z
  .strictObject({
    name: newSandboxName,
    description: sandboxDescription.optional().describe("Markdown. It is kept when the sandbox is refreshed."),
  })
  .meta({ id: "SandboxCreateRequest" });

export const sandboxUpdateRequest = z
  .strictObject({
    description: sandboxDescription.nullable().optional().describe("Markdown; null removes it."),
    enable_schedules: z.boolean().optional().describe("Whether scheduled items run in the sandbox."),
  })
  .meta({ id: "SandboxUpdateRequest" });

const MOST_SELECTED = 500;

const selectedText = z.string().trim().min(1).max(254);

const selectedUser = z.union([
  selectedText.describe("A user's id; with an @, their email."),
  z.object({ id: selectedText }).describe("A user by id."),
  z.object({ user_id: selectedText }).describe("A user by id."),
  z.object({ email: selectedText }).describe("A user by email."),
]);

export const userSelector = z
  .union([selectedUser, z.array(selectedUser).min(1).max(MOST_SELECTED)])
  .describe("Users of the parent organization: an id, an email, an object with `id`, `user_id` or `email`, or a list.")
  .meta({ id: "SandboxUserSelector" });

export const sandboxUsersRequest = z.strictObject({ users: userSelector }).meta({ id: "SandboxUsersRequest" });

export const sandboxUsersAnswer = z
  .object({
    sandbox_name: z.string().describe("The sandbox's name."),
    added_users: z.array(z.string()).describe("The emails of the users who were added. Others were there already."),
    not_found: z.array(z.string()).describe("Selectors that name no active user of the parent organization."),
  })
  .meta({ id: "SandboxUsersResponse" });

/** Configuration that is copied, by the object that holds it. `schemas` are the objects and their fields. */
export const configurationKinds = [
  "schemas",
  "app",
  "app_page",
  "app_metadata",
  "automation",
  "permission",
  "role",
  "record_trigger",
  "function",
  "template",
  "notification_setting",
  "value_list",
] as const;

export type ConfigurationKind = (typeof configurationKinds)[number];

const difference = z.object({ id, name: z.string().describe("Its name; for an object, its api_name.") });

const kindDifferences = z.object({
  added: z.array(difference).describe("In the sandbox, and not in the parent."),
  changed: z
    .array(difference.extend({ fields: z.array(z.string()).describe("The fields with other values.") }))
    .describe("In both, with other values."),
  removed: z.array(difference).describe("In the parent, and not in the sandbox."),
  truncated: z.boolean().describe("True if there are more differences than are listed."),
});

export const sandboxDiff = z
  .object({
    sandbox_name: z.string(),
    identical: z.boolean().describe("Whether there is no difference."),
    kinds: z
      .partialRecord(z.enum(configurationKinds), kindDifferences)
      .describe("The kinds of configuration that differ."),
  })
  .meta({ id: "SandboxDiff" });

const pushed = z.object({
  created: z.number().int().min(0),
  updated: z.number().int().min(0),
  unchanged: z.number().int().min(0),
});

export const sandboxPush = z
  .object({
    sandbox_name: z.string(),
    app: z.object({ id, name: z.string() }),
    target: id.describe("The organization or sandbox that has the configuration now."),
    kinds: z.partialRecord(z.enum(configurationKinds), pushed).describe("What was done, by kind of configuration."),
    left_out: z
      .array(
        z.object({
          kind: z.enum(configurationKinds),
          id: id.describe("The id of the record."),
          path: z.array(z.union([z.string(), z.number()])).describe("The field, and the place in its value."),
        }),
      )
      .describe(
        "Values that are masked in the sandbox and that the target does not have either. They are not part " +
          "of what was " +
          "pushed: set them in the target. At most 100 are listed.",
      ),
  })
  .meta({ id: "SandboxPush" });
