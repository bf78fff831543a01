import { randomUUID } from "node:crypto";
import { basename } from "node:path";
import { Command } from "commander";
import { connect } from "../../connection/platform.ts";
import { failureOf, showExecution } from "../../data/executions.ts";
import { type InputOptions, readInputs } from "../../data/inputs.ts";
import { runHere } from "../../data/local-run.ts";
import { readScript } from "../../data/script.ts";
import { type CommonOptions, collected, withConnection, withExamples } from "../../options.ts";
import { print } from "../../terminal/terminal.ts";

type RunOptions = CommonOptions & InputOptions & { readonly local?: true };

/** The file on this machine, as it is now. */
const runFile = async (file: string, options: RunOptions): Promise<void> => {
  const [script, inputs] = await Promise.all([readScript(file), readInputs(options)]);
  const answer = await runHere(await connect(options), script, inputs);
  if (answer.status === "failed") throw failureOf({ name: script.file_name, error: answer.error });
  await print(`${JSON.stringify(answer.output ?? null, undefined, 2)}\n`);
};

const run = async (file: string, options: RunOptions): Promise<void> => {
  if (options.local) return runFile(file, options);
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
        .description(
          "Runs a function on the platform. Its log goes to stderr, and what it returns to stdout. With --local a file " +
            "runs on this machine by the same rules, and its log is shown as it is written: what it does, it does in the " +
            "sandbox, or on a platform that allows it everywhere, such as npm start.",
        )
        .argument("<file>", "its file name; with --local a path")
        .option("--local", "run the file here, without pushing it")
        .option("-i, --inputs <json>", "the keyword arguments as JSON; @inputs.json reads them from a file")
        .option("--set <name=value>", "set one keyword argument; may be repeated", collected),
    ),
    ["tenantry function run count_leads.py"],
    ["tenantry function run --local functions/count_leads.py --sandbox staging"],
    ["tenantry function run count_leads.py --set status=New --set limit=5"],
  ).action(run);
