import { Command } from "commander";
import { connect } from "../../connection/platform.ts";
import { unlessRefreshed } from "../../connection/refresh-watch.ts";
import { type Definition, pushDefinitions } from "../../data/definitions.ts";
import { labelOfFile, readScript } from "../../data/script.ts";
import { chosenFiles } from "../../data/script-files.ts";
import { type CommonOptions, withConnection, withExamples } from "../../options.ts";

interface PushOptions extends CommonOptions {
  readonly dir: string;
}

/** What the block `# /// tenantry` of a function may say. */
const SETTINGS = ["name", "description", "active", "timeout_seconds", "memory_mb", "app"];

const definitionOf = async (file: string): Promise<Definition> => {
  const { file_name, code, settings } = await readScript(file, SETTINGS);
  return { file, key: file_name, fields: { name: labelOfFile(file_name), file_name, code, ...settings } };
};

const run = async (files: readonly string[], options: PushOptions): Promise<void> => {
  const definitions = await Promise.all((await chosenFiles(files, options.dir, ".py")).map(definitionOf));
  const platform = await connect(options);
  await unlessRefreshed(platform, () => pushDefinitions(platform, "function", definitions));
};

export const pushFunction = (): Command =>
  withExamples(
    withConnection(
      new Command("push")
        .summary("bring functions from files to the platform")
        .description(
          "Creates a function for each file, or changes the one of the same file name. The platform checks the code; " +
            "what it refuses is shown with its line. Functions without a file stay as they are.",
        )
        .argument("[file...]", "these files; without them all of the folder")
        .option("-d, --dir <folder>", "the folder", "functions"),
    ),
    ["tenantry function push"],
    ["tenantry function push functions/count_leads.py --sandbox staging"],
  ).action(run);
