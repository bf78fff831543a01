import { Command } from "commander";
import { connect } from "../../connection/platform.ts";
import { unlessRefreshed } from "../../connection/refresh-watch.ts";
import { type Definition, pushDefinitions } from "../../data/definitions.ts";
import { readSource } from "../../data/input.ts";
import { chosenFiles } from "../../data/script-files.ts";
import { Failure } from "../../failure.ts";
import { isObject, parseJson, textOf } from "../../json.ts";
import { type CommonOptions, withConnection, withExamples } from "../../options.ts";

interface PushOptions extends CommonOptions {
  readonly dir: string;
}

const definitionOf = async (file: string): Promise<Definition> => {
  const fields = parseJson((await readSource(undefined, file))?.text ?? "");
  if (!isObject(fields)) throw new Failure("usage", `${file} holds no JSON object.`);
  const key = textOf(fields.name);
  if (key === undefined) throw new Failure("usage", `${file} gives the automation no name.`);
  return { file, key, fields };
};

const run = async (files: readonly string[], options: PushOptions): Promise<void> => {
  const definitions = await Promise.all((await chosenFiles(files, options.dir, ".json")).map(definitionOf));
  const platform = await connect(options);
  await unlessRefreshed(platform, () => pushDefinitions(platform, "automation", definitions));
};

export const pushAutomation = (): Command =>
  withExamples(
    withConnection(
      new Command("push")
        .summary("bring automations from files to the platform")
        .description(
          "Creates an automation for each JSON file (name, active, public, nodes, edges), or changes the one of the " +
            "same name. The platform checks the flow; what it refuses is shown.",
        )
        .argument("[file...]", "these files; without them all of the folder")
        .option("-d, --dir <folder>", "the folder", "automations"),
    ),
    ["tenantry automation push"],
    ["tenantry automation push automations/welcome.json"],
  ).action(run);
