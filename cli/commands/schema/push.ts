import { Command } from "commander";
import { labelOf } from "../../connection/places.ts";
import { connect } from "../../connection/platform.ts";
import { unlessRefreshed } from "../../connection/refresh-watch.ts";
import { modelChanges } from "../../data/model-changes.ts";
import { modelOf, readModel } from "../../data/model-files.ts";
import { allSchemas } from "../../data/schemas.ts";
import { withConnection, withExamples } from "../../options.ts";
import { askWhether } from "../../terminal/prompt.ts";
import { done, print } from "../../terminal/terminal.ts";
import { counted } from "../../terminal/text.ts";
import type { FolderOptions } from "./pull.ts";

interface PushOptions extends FolderOptions {
  readonly dryRun?: true;
  readonly prune?: true;
  readonly yes?: true;
}

const run = async (options: PushOptions): Promise<void> => {
  const files = await readModel(options.dir);
  const platform = await connect(options);
  const schemas = await allSchemas(platform);
  const known = new Map(schemas.map((schema) => [schema.api_name, modelOf(schema)]));
  const changes = modelChanges(files, known, { prune: options.prune === true });
  if (changes.length === 0) return done("The platform has what the files say.");
  for (const { line } of changes) await print(`${line}\n`);
  if (options.dryRun) return;
  const where = labelOf(await platform.place());
  if (!options.yes) {
    const message = `Make ${counted(changes.length, "change")} in ${where}?`;
    await askWhether({
      message,
      otherwise: "Add --yes to make them without a question, or --dry-run to see them only.",
    });
  }
  await unlessRefreshed(platform, async () => {
    for (const { request } of changes) await platform.call(request);
  });
  done(`Made ${counted(changes.length, "change")} in ${where}`);
};

export const pushSchema = (): Command =>
  withExamples(
    withConnection(
      new Command("push")
        .summary("bring the model of the files to the platform")
        .description(
          "Shows what differs, and changes it after a question. New objects come first, then fields, then rules. It stops at the " +
            "first change that is refused; run it again when that is mended. Objects without a file stay as they are.",
        )
        .option("-d, --dir <folder>", "the folder", "schema")
        .option("--dry-run", "only show what differs")
        .option("--prune", "delete fields and rules that the files do not have")
        .option("-y, --yes", "do not ask"),
    ),
    ["tenantry schema push --dry-run"],
    ["tenantry schema push --yes --prune"],
  ).action(run);
