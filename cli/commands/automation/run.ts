import { randomUUID } from "node:crypto";
import { Command } from "commander";
import { connect, type Platform } from "../../connection/platform.ts";
import { path } from "../../connection/request.ts";
import { findDefinitions } from "../../data/definitions.ts";
import { failureOf, followExecution, showExecution, showLines } from "../../data/executions.ts";
import { type InputOptions, readInputs } from "../../data/inputs.ts";
import { Failure } from "../../failure.ts";
import { isObject, textOf } from "../../json.ts";
import { type CommonOptions, collected, withConnection, withExamples } from "../../options.ts";
import { done, print, remark } from "../../terminal/terminal.ts";
import { plain } from "../../terminal/text.ts";

interface RunOptions extends CommonOptions, InputOptions {
  readonly wait: boolean;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

const idOf = async (platform: Platform, which: string): Promise<string> => {
  if (UUID.test(which)) return which;
  const found = await findDefinitions(platform, "automation", [which]);
  if (found.length > 1)
    throw new Failure("usage", `There are ${found.length} automations named ${which}: give the id.`);
  const id = textOf(found[0]?.id);
  if (id === undefined) throw new Failure("usage", `There is no automation ${which}.`);
  return id;
};

/** An automation that waits has answered with the id of its execution. */
const follow = async (platform: Platform, body: unknown, wait: boolean): Promise<void> => {
  const id = isObject(body) ? textOf(body.execution_id) : undefined;
  if (id === undefined || !wait) {
    done(`It goes on. How far is it? tenantry function logs ${plain(String(id))}`);
    return;
  }
  remark("The automation waits. Ctrl-C ends this command only.");
  const execution = await followExecution(platform, id);
  showLines(execution);
  if (execution.status === "failed") throw failureOf(execution);
  await print(`${JSON.stringify(execution.output ?? null, undefined, 2)}\n`);
};

const run = async (which: string, options: RunOptions): Promise<void> => {
  const inputs = await readInputs(options);
  const platform = await connect(options);
  const reply = await platform.call({
    method: "POST",
    path: path`/v1/automation/${await idOf(platform, which)}`,
    json: { inputs },
    headers: { "idempotency-key": randomUUID() },
    repeatable: true,
  });
  if (reply.status === 202) return follow(platform, reply.body, options.wait);
  await showExecution(platform, reply);
};

export const runAutomation = (): Command =>
  withExamples(
    withConnection(
      new Command("run")
        .summary("run an automation")
        .description(
          "Runs an automation on the platform. Its steps go to stderr, and what it returns to stdout. If it meets a " +
            "delay, the command waits until it has ended.",
        )
        .argument("<which>", "its name or id")
        .option("-i, --inputs <json>", "its inputs as JSON; @inputs.json reads them from a file")
        .option("--set <name=value>", "set one input; may be repeated", collected)
        .option("--no-wait", "do not wait for a delay"),
    ),
    ["tenantry automation run Welcome --set email=ada@example.com"],
  ).action(run);
