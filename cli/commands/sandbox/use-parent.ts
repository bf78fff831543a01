import { Command } from "commander";
import { labelOf } from "../../connection/places.ts";
import { parentTargetOf } from "../../connection/target.ts";
import { findWorkspace, writeSandbox } from "../../connection/workspace.ts";
import { withColour, withExamples } from "../../options.ts";
import { done, warn } from "../../terminal/terminal.ts";

/** Asks nobody, so that it works when the sandbox or the platform is gone. */
const run = async (): Promise<void> => {
  const workspace = findWorkspace();
  if (workspace?.sandbox === undefined) return done("Commands here work in the organization itself already.");
  await writeSandbox(workspace.path, undefined);
  const { profile, organization = "" } = await parentTargetOf({});
  const place = profile?.places?.[organization];
  done(`Commands here now work in ${place ? labelOf(place) : "the organization itself"}: ${workspace.path}`);
  if (process.env.TENANTRY_SANDBOX) warn("TENANTRY_SANDBOX is set, and wins over tenantry.json.");
};

export const useParent = (): Command =>
  withExamples(
    withColour(
      new Command("use-parent")
        .alias("switch-back")
        .summary("let commands here work in the organization itself")
        .description("Removes the sandbox's name from tenantry.json."),
    ),
    ["tenantry sandbox use-parent"],
    ["tenantry sandbox switch-back", "the same"],
  ).action(run);
