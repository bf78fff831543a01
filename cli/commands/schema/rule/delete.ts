import { Command } from "commander";
import { connect } from "../../../connection/platform.ts";
import { path } from "../../../connection/request.ts";
import { type CommonOptions, withConnection, withExamples } from "../../../options.ts";
import { done } from "../../../terminal/terminal.ts";

const run = async (object: string, rule: string, options: CommonOptions): Promise<void> => {
  const { call } = await connect(options);
  await call({ method: "DELETE", path: path`/v1/schema/${object}/validation-rule/${rule}` });
  done(`Deleted ${rule} of ${object}`);
};

export const deleteRule = (): Command =>
  withExamples(
    withConnection(
      new Command("delete")
        .alias("rm")
        .summary("delete a validation rule of an object")
        .description("Deletes a validation rule. Records are not checked against it any more.")
        .argument("<object>", "the object's api_name or id")
        .argument("<rule>", "the rule's api_name"),
    ),
    ["tenantry schema rule delete invoice needs_a_due_date"],
  ).action(run);
