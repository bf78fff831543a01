import { Command } from "commander";
import { connect } from "../../connection/platform.ts";
import { unlessRefreshed } from "../../connection/refresh-watch.ts";
import { type Definition, pushDefinitions } from "../../data/definitions.ts";
import { labelOfFile, readScript } from "../../data/script.ts";
import { chosenFiles } from "../../data/script-files.ts";
import { Failure } from "../../failure.ts";
import { type CommonOptions, withConnection, withExamples } from "../../options.ts";

interface PushOptions extends CommonOptions {
  readonly dir: string;
}

/** What the block `# /// tenantry` of a trigger may say. */
const SETTINGS = ["name", "object", "events", "mode", "order", "active", "app"];

const definitionOf = async (file: string): Promise<Definition> => {
  const { file_name, code, settings } = await readScript(file, SETTINGS);
  const { object, ...rest } = settings;
  if (object === undefined || rest.events === undefined) {
    throw new Failure("usage", `${file} does not say when it runs.`, {
      hint: 'Its block "# /// tenantry" needs object and events. A file that has them: tenantry trigger new --help',
    });
  }
  const fields = { name: labelOfFile(file_name), file_name, code, object_api_name: object, ...rest };
  return { file, key: file_name, fields };
};

const run = async (files: readonly string[], options: PushOptions): Promise<void> => {
  const definitions = await Promise.all((await chosenFiles(files, options.dir, ".py")).map(definitionOf));
  const platform = await connect(options);
  await unlessRefreshed(platform, () => pushDefinitions(platform, "record_trigger", definitions));
};

export const pushTrigger = (): Command =>
  withExamples(
    withConnection(
      new Command("push")
        .summary("bring triggers from files to the platform")
        .description(
          "Creates a trigger for each file, or changes the one of the same file name. What the platform refuses is " +
            "shown with its line. Triggers without a file stay as they are.",
        )
        .argument("[file...]", "these files; without them all of the folder")
        .option("-d, --dir <folder>", "the folder", "triggers"),
    ),
    ["tenantry trigger push"],
    ["tenantry trigger push triggers/check_lead.py"],
  ).action(run);
