import { Command } from "commander";
import { connect } from "../../connection/platform.ts";
import { type CommonOptions, withConnection, withExamples } from "../../options.ts";
import { done } from "../../terminal/terminal.ts";

interface Generated {
  readonly created: readonly string[];
  readonly updated: readonly string[];
}

const run = async (options: CommonOptions): Promise<void> => {
  const { call } = await connect(options);
  const { created, updated } = (await call({ method: "POST", path: "/v1/schema/generate/" })).body as Generated;
  for (const name of created) done(`Created ${name}`);
  for (const name of updated) done(`Completed ${name}`);
  if (created.length + updated.length === 0) done("The model is complete.");
};

export const generateSchemas = (): Command =>
  withExamples(
    withConnection(
      new Command("generate")
        .summary("complete the model")
        .description(
          "Creates standard objects and fields that are missing, and describes collections without an object. What you have changed stays.",
        ),
    ),
    ["tenantry schema generate"],
  ).action(run);
