import { randomUUID } from "node:crypto";
import { basename } from "node:path";
import { Command } from "commander";
import { connect } from "../../connection/platform.ts";
import { showExecution } from "../../data/executions.ts";
import { type InputOptions, readInputs } from "../../data/inputs.ts";
import { type CommonOptions, collected, withConnection, withExamples } from "../../options.ts";

type RunOptions = CommonOptions & InputOptions;

const run = async (file: string, options: RunOptions): Promise<void> => {
  const inputs = await readInputs(options);
  const platform = await connect(options);
  const reply = await platform.call({
    method: "POST",
    path: "/v1/automation/function",
    json: { function_name: basename(file), inputs },
    headers: { "idempotency-key": randomUUID() },
    repeatable: true,
  });
  await showExecution(platform, reply);
};

export const runFunction = (): Command =>
  withExamples(
    withConnection(
      new Command("run")
        .summary("run a function")
        .description("Runs a function on the platform. Its log goes to stderr, and what it returns to stdout.")
        .argument("<file>", "its file name")
        .option("-i, --inputs <json>", "the keyword arguments as JSON; @inputs.json reads them from a file")
        .option("--set <name=value>", "set one keyword argument; may be repeated", collected),
    ),
    ["tenantry function run count_leads.py"],
    ["tenantry function run count_leads.py --set status=New --set limit=5"],
  ).action(run);
