import { Command } from "commander";
import { forgetPlace, labelOf } from "../../connection/places.ts";
import { connectParent, type Platform } from "../../connection/platform.ts";
import { path } from "../../connection/request.ts";
import type { Target } from "../../connection/target.ts";
import { writeSandbox } from "../../connection/workspace.ts";
import { readSandbox, requireSuccess, runOperation } from "../../data/follow-sandbox.ts";
import { Failure } from "../../failure.ts";
import { type CommonOptions, withExamples, withParentConnection } from "../../options.ts";
import { askText } from "../../terminal/prompt.ts";
import { done, say } from "../../terminal/terminal.ts";
import { workspaceSandbox } from "./name.ts";

interface DeleteOptions extends CommonOptions {
  readonly wait: boolean;
  readonly yes?: true;
}

const confirm = async (name: string, platform: Platform): Promise<void> => {
  const parent = labelOf(await platform.place());
  const typed = await askText({
    message: `Delete sandbox ${name} of ${parent} with all that is in it? Type its name to confirm`,
    otherwise: "Add --yes to delete it without a question.",
  });
  if (typed !== name) throw new Failure("interrupted", `That is not ${name}: nothing was deleted.`);
};

/** Removes the key of the workspace, if it names this sandbox. */
const leaveWorkspace = async (target: Target, name: string): Promise<void> => {
  const { workspace } = target;
  if (workspace === undefined || (await workspaceSandbox(target)) !== name) return;
  await writeSandbox(workspace.path, undefined);
  say(`Commands here work in the organization itself again: ${workspace.path}`);
};

const run = async (name: string, options: DeleteOptions): Promise<void> => {
  const platform = await connectParent(options);
  const before = await readSandbox(platform, name);
  if (before !== undefined && !options.yes) await confirm(name, platform);
  const request = { method: "DELETE", path: path`/v1/sandbox/${name}`, repeatable: true } as const;
  const sandbox = await runOperation(platform, { name, verb: "Deleting", request, wait: options.wait });
  await leaveWorkspace(platform.target, name);
  if (before !== undefined) await forgetPlace(platform.target, before.id);
  if (sandbox !== undefined) requireSuccess(sandbox);
  done(sandbox === undefined ? `Deleted ${name}` : `${name} is being deleted, and can no longer be used.`);
};

export const deleteSandbox = (): Command =>
  withExamples(
    withParentConnection(
      new Command("delete")
        .alias("rm")
        .summary("delete a sandbox")
        .description(
          "Deletes a sandbox with its data, after its name has been typed. If commands here work in it, they work in the " +
            "organization itself afterwards.",
        )
        .argument("<name>", "the sandbox")
        .option("--no-wait", "only begin")
        .option("-y, --yes", "do not ask"),
    ),
    ["tenantry sandbox delete staging"],
    ["tenantry sandbox delete staging --yes"],
  ).action(run);
