import * as z from "zod";
import { id } from "./common.ts";
import { configurationKinds } from "./sandbox-bodies.ts";
import { defineTask } from "./workflow.ts";

const sandboxRun = z.object({
  sandbox_id: id.describe("The sandbox organization."),
  run_id: id.describe("The run. Another one may take its place."),
});

const kind = z.enum(configurationKinds);

const copied = z.object({
  from: z.string().describe("The collection that holds the copy."),
  to: z.string().describe("The collection that it takes the place of."),
});

const done = z.object({});

const step = <const S extends string>(name: S, summary: string) => ({
  workflow: "sandbox",
  step: name,
  summary,
});

/** The first step: finds out what is to be done, and prepares it. */
export const registerSandboxRun = defineTask({
  ...step("register", "Begins a run on a sandbox"),
  input: sandboxRun,
  output: z.object({
    path: z
      .enum(["copy", "switch", "delete"])
      .describe("What the run does. `switch`: an earlier run of the same sandbox has begun to switch over."),
    kinds: z.array(kind).describe("The configuration to copy."),
    versions: z.record(z.string(), z.number()).describe("The counters of the parent's collections before the copy."),
  }),
});

export const copyConfiguration = defineTask({
  ...step("copy-configuration", "Copies one kind of configuration into a sandbox's database"),
  input: sandboxRun.extend({ kind }),
  output: copied,
});

export const indexConfiguration = defineTask({
  ...step("index-configuration", "Builds the indexes of a copied kind of configuration"),
  input: sandboxRun.extend({ kind, copy: copied }),
  output: copied,
});

export const settleCopies = defineTask({
  ...step("settle-copies", "Copies again what has changed in the parent during the copy"),
  input: sandboxRun.extend({ copies: z.array(copied), versions: z.record(z.string(), z.number()) }),
  output: z.object({ copies: z.array(copied) }),
});

export const copyUsers = defineTask({
  ...step("copy-users", "Copies the administrators and the users of a sandbox"),
  input: sandboxRun,
  output: copied,
});

export const applySafety = defineTask({
  ...step("apply-safety", "Makes the sandbox's own organization record, and checks that no secret was copied"),
  input: sandboxRun.extend({ copies: z.array(copied), users: copied }),
  output: z.object({ copies: z.array(copied) }),
});

export const switchOver = defineTask({
  ...step("switch-over", "Puts the new copy in the place of the old one"),
  input: sandboxRun.extend({ copies: z.array(copied).optional() }),
  output: done,
});

export const enterLists = defineTask({
  ...step("enter-lists", "Enters a sandbox into the lists of its users"),
  input: sandboxRun,
  output: done,
});

export const finishSandboxRun = defineTask({
  ...step("finish", "Ends a run that has succeeded"),
  input: sandboxRun,
  output: done,
});

export const cleanUpSandboxRun = defineTask({
  ...step("clean-up", "Undoes a run that has failed, as far as it can be undone"),
  input: sandboxRun.extend({
    error: z
      .object({ Error: z.string(), Cause: z.string().optional() })
      .optional()
      .describe("Why it failed, as Step Functions tells it."),
  }),
  output: z.object({
    outcome: z
      .enum(["undone", "forward", "superseded"])
      .describe(
        "`undone`: nothing of the run is left. `forward`: the switch-over has begun and must be completed. `superseded`: " +
          "another run has taken the place of this one.",
      ),
  }),
});

export const closeSandbox = defineTask({
  ...step("close", "Ends the access to a sandbox that is deleted"),
  input: sandboxRun,
  output: done,
});

export const leaveLists = defineTask({
  ...step("leave-lists", "Removes a sandbox from the lists of all users"),
  input: sandboxRun,
  output: done,
});

export const removeBelongings = defineTask({
  ...step("remove-belongings", "Removes what a sandbox has outside of its database"),
  input: sandboxRun,
  output: done,
});

export const dropSandboxDatabase = defineTask({
  ...step("drop-database", "Drops the database of a sandbox"),
  input: sandboxRun,
  output: done,
});

export const unregisterSandbox = defineTask({
  ...step("unregister", "Removes a sandbox from the registry"),
  input: sandboxRun,
  output: done,
});
