import { Command } from "commander";
import { labelOf } from "../../connection/places.ts";
import { connect } from "../../connection/platform.ts";
import { path } from "../../connection/request.ts";
import { type CommonOptions, withConnection, withExamples } from "../../options.ts";
import { askWhether } from "../../terminal/prompt.ts";
import { done } from "../../terminal/terminal.ts";

interface DeleteOptions extends CommonOptions {
  readonly force?: true;
  readonly yes?: true;
}

const run = async (object: string, options: DeleteOptions): Promise<void> => {
  const { call, place } = await connect(options);
  if (!options.yes) {
    const where = labelOf(await place());
    const message = `Delete the object ${object} in ${where}? Its records stay in the database and cannot be reached.`;
    await askWhether({ message, otherwise: "Add --yes to delete it without a question." });
  }
  const query = options.force ? "?force=true" : "";
  await call({ method: "DELETE", path: `${path`/v1/schema/${object}`}${query}` });
  done(`Deleted ${object}`);
};

export const deleteSchema = (): Command =>
  withExamples(
    withConnection(
      new Command("delete")
        .alias("rm")
        .summary("delete an object")
        .description("Refused while it has records or lookups point to it, unless --force is given.")
        .argument("<object>", "the object's api_name or id")
        .option("--force", "delete it although it is needed")
        .option("-y, --yes", "do not ask"),
    ),
    ["tenantry schema delete project"],
  ).action(run);
