import { Argument, Command } from "commander";
import { fileNameOf } from "../../data/script.ts";
import { writeScript } from "../../data/script-files.ts";
import { withColour, withExamples } from "../../options.ts";
import { done, remark } from "../../terminal/terminal.ts";

interface NewOptions {
  readonly dir: string;
  readonly name?: string;
  readonly async?: true;
}

const EVENTS = [
  "before_create",
  "before_update",
  "before_delete",
  "after_create",
  "after_update",
  "after_delete",
] as const;

const bodies = {
  before: `    for id, record in context.new_map.items():
        if record["name"].isupper():
            raise TriggerError("Please do not shout.", "name")`,
  after: `    for id, record in context.new_map.items():
        context.log(f"{context.event}: {record['name']}")`,
  gone: `    for id, record in context.old_map.items():
        context.log(f"{context.event}: {record['name']}")`,
};

const bodyOf = (events: readonly string[]): string => {
  if (events.some((event) => event.endsWith("_delete"))) return bodies.gone;
  return events.every((event) => event.startsWith("before_")) ? bodies.before : bodies.after;
};

const template = (object: string, events: readonly string[], mode: string): string => {
  const body = bodyOf(events);
  const names = body.includes("TriggerError") ? "TriggerContext, TriggerError" : "TriggerContext";
  return `# /// tenantry
# object = ${JSON.stringify(object)}
# events = ${JSON.stringify(events)}
# mode = ${JSON.stringify(mode)}
# order = 0
# ///
from tenantry import ${names}


async def execute(context: TriggerContext):
${body}
`;
};

const run = async (object: string, events: readonly string[], options: NewOptions): Promise<void> => {
  const file_name = fileNameOf(options.name ?? `${object} ${events.join(" ")}`);
  const mode = options.async ? "async" : "sync";
  const path = await writeScript(options.dir, file_name, template(object, events, mode));
  done(`Wrote ${path}`);
  remark(`Next: tenantry trigger push ${path}`);
};

export const newTrigger = (): Command =>
  withExamples(
    withColour(
      new Command("new")
        .summary("write a new trigger into a file")
        .description(
          "Writes a Python file that works as it is, and beside it tenantry.pyi for editors. A trigger runs before or " +
            "after records of an object are created, updated or deleted. Nothing is sent.",
        )
        .argument("<object>", "the object's api_name")
        .addArgument(new Argument("<event...>", "when it runs").choices(EVENTS))
        .option("-d, --dir <folder>", "the folder", "triggers")
        .option("--name <name>", "the name of the file; without it object and events")
        .option("--async", "after the request, so that it delays nobody"),
    ),
    ["tenantry trigger new lead before_create before_update --name check_lead"],
    ["tenantry trigger new invoice after_update --async"],
  ).action(run);
