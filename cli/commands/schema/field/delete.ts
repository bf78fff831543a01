import { Command } from "commander";
import { connect } from "../../../connection/platform.ts";
import { path } from "../../../connection/request.ts";
import { type CommonOptions, withConnection, withExamples } from "../../../options.ts";
import { done } from "../../../terminal/terminal.ts";

interface DeleteOptions extends CommonOptions {
  readonly force?: true;
}

const run = async (object: string, field: string, options: DeleteOptions): Promise<void> => {
  const { call } = await connect(options);
  const query = options.force ? "?force=true" : "";
  await call({ method: "DELETE", path: `${path`/v1/schema/${object}/${field}`}${query}` });
  done(`Deleted ${field} of ${object}`);
};

export const deleteField = (): Command =>
  withExamples(
    withConnection(
      new Command("delete")
        .alias("rm")
        .summary("delete a field of an object")
        .description("Its values stay in the database. Refused while rules use it, unless --force is given.")
        .argument("<object>", "the object's api_name or id")
        .argument("<field>", "the field's api_name")
        .option("--force", "delete it although it is used"),
    ),
    ["tenantry schema field delete project budget"],
  ).action(run);
