import { Command, Option } from "commander";
import type { Sandbox } from "../../connection/access.ts";
import { connectParent } from "../../connection/platform.ts";
import { path } from "../../connection/request.ts";
import { Failure } from "../../failure.ts";
import { type CommonOptions, withExamples, withJson, withParentConnection } from "../../options.ts";
import { done } from "../../terminal/terminal.ts";
import { readDescription } from "./description.ts";
import { showSandbox } from "./show.ts";

interface SetOptions extends CommonOptions {
  readonly description?: string;
  readonly schedules?: "on" | "off";
}

const run = async (name: string, options: SetOptions): Promise<void> => {
  const description = await readDescription(options.description);
  if (description === undefined && options.schedules === undefined)
    throw new Failure("usage", "There is nothing to set.", { hint: "Give --description or --schedules." });
  const json = {
    // An empty text removes it.
    ...(description !== undefined && { description: description === "" ? null : description }),
    ...(options.schedules !== undefined && { enable_schedules: options.schedules === "on" }),
  };
  const { call } = await connectParent(options);
  const { body } = await call({ method: "PATCH", path: path`/v1/sandbox/${name}`, json, repeatable: true });
  done(`Changed ${(body as Sandbox).name}`);
  await showSandbox(body as Sandbox, options);
};

export const setSandbox = (): Command =>
  withExamples(
    withParentConnection(
      withJson(
        new Command("set")
          .alias("describe")
          .summary("change a sandbox's description or settings")
          .description("Changes what is given. A refresh keeps both.")
          .argument("<name>", "the sandbox")
          .option("--description <text>", "Markdown; @notes.md reads it from a file, and '' removes it")
          .addOption(new Option("--schedules <state>", "whether scheduled items run in it").choices(["on", "off"])),
      ),
    ),
    ["tenantry sandbox set staging --description 'For the new invoices'"],
    ["tenantry sandbox set staging --schedules on"],
  ).action(run);
