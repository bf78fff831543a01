import { Command } from "commander";
import { connect } from "../../connection/platform.ts";
import { type CommonOptions, withConnection, withExamples } from "../../options.ts";
import { done } from "../../terminal/terminal.ts";

interface UpdateOptions extends CommonOptions {
  readonly name?: string;
  readonly pluralName?: string;
  readonly description?: string;
  readonly icon?: string;
}

const run = async (object: string, options: UpdateOptions): Promise<void> => {
  const { call } = await connect(options);
  const { name, pluralName: plural_name, description, icon } = options;
  const json = { id: object, name, plural_name, description, icon };
  await call({ method: "PATCH", path: "/v1/schema", json });
  done(`Changed ${object}`);
};

export const updateSchema = (): Command =>
  withExamples(
    withConnection(
      new Command("update")
        .summary("change the labels of an object")
        .description("Changes what is given. Fields and rules have commands of their own.")
        .argument("<object>", "the object's api_name or id")
        .option("--name <label>", "the label")
        .option("--plural-name <label>", "the label of several records")
        .option("--description <text>", "what the records are")
        .option("--icon <name>", "the name of an icon"),
    ),
    ["tenantry schema update project --plural-name Projects"],
  ).action(run);
