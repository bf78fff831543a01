import { Command } from "commander";
import { findSandbox, requireUsable } from "../../connection/access.ts";
import { labelOf } from "../../connection/places.ts";
import { connect, connectParent } from "../../connection/platform.ts";
import { findWorkspace, writeSandbox } from "../../connection/workspace.ts";
import { Failure } from "../../failure.ts";
import { withColour, withExamples } from "../../options.ts";
import { done, remark, warn } from "../../terminal/terminal.ts";

/** Variables that win over the workspace file. */
const warnOfOthers = (): void => {
  const { TENANTRY_SANDBOX, TENANTRY_ORGANIZATION } = process.env;
  if (TENANTRY_SANDBOX) warn("TENANTRY_SANDBOX is set, and wins over tenantry.json.");
  else if (TENANTRY_ORGANIZATION)
    warn("TENANTRY_ORGANIZATION is set: commands ask which one is meant, until it is not.");
};

const run = async (name: string): Promise<void> => {
  const workspace = findWorkspace();
  if (workspace === undefined) {
    throw new Failure("usage", "This folder is no workspace: there is no tenantry.json.", {
      hint: "Make it one: tenantry init",
    });
  }
  const parent = await connectParent({});
  const target = { ...parent.target, sandbox: name };
  const found = await findSandbox(target, parent.call);
  requireUsable(target, found);
  // A token is asked for, which only users of the sandbox get.
  const inside = await connect({ sandbox: name });
  const where = labelOf(await inside.place());
  await writeSandbox(workspace.path, name);
  done(`Commands here now work in ${where}: ${workspace.path}`);
  if (found.status === "refreshing") warn("It is being refreshed: what is written now will be gone.");
  warnOfOthers();
  remark("Back to the organization itself: tenantry sandbox use-parent");
};

export const useSandbox = (): Command =>
  withExamples(
    withColour(
      new Command("use")
        .alias("switch")
        .summary("let commands here work in a sandbox")
        .description(
          "Writes the sandbox's name into tenantry.json. Commands in this folder and below then work in the sandbox: query, " +
            "record, schema. Those that manage sandboxes work in the organization itself.",
        )
        .argument("<name>", "the sandbox"),
    ),
    ["tenantry sandbox use staging"],
    ["tenantry sandbox switch staging", "the same"],
  ).action(run);
