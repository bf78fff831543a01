import { Command } from "commander";
import { connect } from "../../connection/platform.ts";
import { findDefinitions } from "../../data/definitions.ts";
import { writeTemplate } from "../../data/template-folders.ts";
import { Failure } from "../../failure.ts";
import { type CommonOptions, withConnection, withExamples } from "../../options.ts";
import { done, say, tint } from "../../terminal/terminal.ts";

interface PullOptions extends CommonOptions {
  readonly dir: string;
  readonly force?: true;
}

const run = async (names: readonly string[], options: PullOptions): Promise<void> => {
  const found = await findDefinitions(await connect(options), "template", names);
  const missing = names.find((name) => !found.some((record) => record.name === name));
  if (missing !== undefined) throw new Failure("usage", `There is no template ${missing}.`);
  const written = new Set<string>();
  for (const record of found) {
    const { folder, isChanged } = await writeTemplate(record, options.dir, options.force === true);
    if (written.has(folder)) throw new Failure("usage", `Two templates would be written into ${folder}.`);
    written.add(folder);
    if (isChanged) done(`Wrote ${folder}`);
    else say(tint.dim(`  ${folder} has not changed`));
  }
};

export const pullTemplate = (): Command =>
  withExamples(
    withConnection(
      new Command("pull")
        .summary("write templates into files")
        .description("Writes each template into a folder of its own. A file that is different here is not replaced.")
        .argument("[name...]", "names of templates; without them all")
        .option("-d, --dir <folder>", "the folder of all templates", "templates")
        .option("--force", "replace files that are different"),
    ),
    ["tenantry template pull"],
    ["tenantry template pull Welcome --force"],
  ).action(run);
