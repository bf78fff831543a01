import { Command } from "commander";
import { labelOf } from "../../connection/places.ts";
import { connectParent } from "../../connection/platform.ts";
import { path } from "../../connection/request.ts";
import { requireSuccess, runOperation } from "../../data/follow-sandbox.ts";
import { diffLines, type SandboxDiff } from "../../data/sandbox-diff.ts";
import { type CommonOptions, withExamples, withJson, withParentConnection } from "../../options.ts";
import { askWhether } from "../../terminal/prompt.ts";
import { done, say, warn } from "../../terminal/terminal.ts";
import { showDiff } from "./diff.ts";
import { givenOrCurrent } from "./name.ts";
import { showSandbox } from "./show.ts";

interface RefreshOptions extends CommonOptions {
  readonly dryRun?: true;
  readonly yes?: true;
  readonly wait: boolean;
}

const run = async (given: string | undefined, options: RefreshOptions): Promise<void> => {
  const name = await givenOrCurrent(given, options);
  const platform = await connectParent(options);
  const address = path`/v1/sandbox/${name}/refresh`;
  const preview = async (): Promise<SandboxDiff> =>
    (await platform.call({ method: "POST", path: `${address}?dry_run=true`, reads: true, repeatable: true }))
      .body as SandboxDiff;
  if (options.dryRun) return showDiff(await preview(), options);
  if (!options.yes) {
    const diff = await preview();
    const parent = labelOf(await platform.place());
    say(diff.identical ? "Its configuration is like its organization's." : "This would be undone:");
    for (const line of diffLines(diff)) say(line);
    await askWhether({
      message: `Refresh sandbox ${name} of ${parent}? All of its records are deleted too.`,
      otherwise: "Add --yes to refresh it without a question, or --dry-run to see the differences only.",
    });
  }
  const request = { method: "POST", path: address } as const;
  const sandbox = await runOperation(platform, { name, verb: "Refreshing", request, wait: options.wait });
  if (sandbox === undefined) return warn(`The sandbox ${name} was deleted meanwhile.`);
  requireSuccess(sandbox);
  if (sandbox.status === "active") done(`Refreshed ${sandbox.name}`);
  else done(`${sandbox.name} is being refreshed. How far is it? tenantry sandbox get ${name}`);
  await showSandbox(sandbox, options);
};

export const refreshSandbox = (): Command =>
  withExamples(
    withParentConnection(
      withJson(
        new Command("refresh")
          .summary("reset a sandbox to its organization's configuration")
          .description(
            "Shows what it would undo, and makes a new copy after a question. All changes and records in the sandbox are " +
              "lost; its description and settings stay. Until the copy is complete the old one can be used.",
          )
          .argument("[name]", "the sandbox, unless it is the one that commands here work in")
          .option("--dry-run", "only show what it would undo")
          .option("--no-wait", "only begin")
          .option("-y, --yes", "do not ask"),
      ),
    ),
    ["tenantry sandbox refresh staging"],
    ["tenantry sandbox refresh staging --yes"],
  ).action(run);
