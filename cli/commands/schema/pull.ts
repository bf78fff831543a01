import { Command } from "commander";
import { connect } from "../../connection/platform.ts";
import { modelOf, writeModel } from "../../data/model-files.ts";
import { allSchemas } from "../../data/schemas.ts";
import { Failure } from "../../failure.ts";
import { type CommonOptions, withConnection, withExamples } from "../../options.ts";
import { done } from "../../terminal/terminal.ts";
import { counted } from "../../terminal/text.ts";

export interface FolderOptions extends CommonOptions {
  readonly dir: string;
}

const run = async (names: readonly string[], options: FolderOptions): Promise<void> => {
  const schemas = await allSchemas(await connect(options));
  const missing = names.find((name) => !schemas.some(({ api_name }) => api_name === name));
  if (missing !== undefined) throw new Failure("usage", `There is no object ${missing}.`);
  const wanted = names.length === 0 ? schemas : schemas.filter(({ api_name }) => names.includes(api_name));
  const paths = await writeModel(options.dir, wanted.map(modelOf));
  done(`Wrote ${counted(paths.length, "object")} to ${options.dir}`);
};

export const pullSchema = (): Command =>
  withExamples(
    withConnection(
      new Command("pull")
        .summary("write the model into files")
        .description(
          "Writes a JSON file for each object: its settings, its fields and its rules. Keep them in version control.",
        )
        .argument("[object...]", "only these objects")
        .option("-d, --dir <folder>", "the folder", "schema"),
    ),
    ["tenantry schema pull"],
    ["tenantry schema pull lead company --dir model"],
  ).action(run);
