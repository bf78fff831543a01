import { Command } from "commander";
import { connect } from "../../connection/platform.ts";
import { unlessRefreshed } from "../../connection/refresh-watch.ts";
import { pushDefinitions } from "../../data/definitions.ts";
import { readTemplate, templateFolders } from "../../data/template-folders.ts";
import { type CommonOptions, withConnection, withExamples } from "../../options.ts";

interface PushOptions extends CommonOptions {
  readonly dir: string;
}

const run = async (names: readonly string[], options: PushOptions): Promise<void> => {
  const definitions = await Promise.all((await templateFolders(names, options.dir)).map(readTemplate));
  const platform = await connect(options);
  await unlessRefreshed(platform, () => pushDefinitions(platform, "template", definitions));
};

export const pushTemplate = (): Command =>
  withExamples(
    withConnection(
      new Command("push")
        .summary("bring templates from files to the platform")
        .description(
          "Creates a template for each folder (template.json, subject.liquid, html.liquid, text.liquid), or changes the one " +
            "of the same name. The platform checks the Liquid; what it refuses is shown with its line.",
        )
        .argument("[name...]", "these folders; without them all")
        .option("-d, --dir <folder>", "the folder of all templates", "templates"),
    ),
    ["tenantry template push"],
    ["tenantry template push Welcome --sandbox staging"],
  ).action(run);
