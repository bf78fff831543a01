import { Command } from "commander";
import { fileNameOf, labelOfFile } from "../../data/script.ts";
import { writeScript } from "../../data/script-files.ts";
import { withColour, withExamples } from "../../options.ts";
import { done, remark } from "../../terminal/terminal.ts";

interface NewOptions {
  readonly dir: string;
  readonly description?: string;
}

const template = (name: string, description: string): string => `# /// tenantry
# name = ${JSON.stringify(name)}
# description = ${JSON.stringify(description)}
# timeout_seconds = 30
# ///
from tenantry import Platform


async def execute(platform: Platform, **kwargs):
    rows = await platform.query.sql("SELECT id, name FROM lead WHERE status = $1", ["New"])
    platform.log(f"There are {len(rows)} new leads.")
    return {"status": "success", "count": len(rows)}
`;

const run = async (name: string, { dir, description = "" }: NewOptions): Promise<void> => {
  const file_name = fileNameOf(name);
  const label = /[A-Z ]/.test(name) ? name.replace(/\.py$/, "") : labelOfFile(file_name);
  const path = await writeScript(dir, file_name, template(label, description));
  done(`Wrote ${path}`);
  remark(`Next: tenantry function push ${path}`);
};

export const newFunction = (): Command =>
  withExamples(
    withColour(
      new Command("new")
        .summary("write a new function into a file")
        .description(
          "Writes a Python file that works as it is, and beside it tenantry.pyi, from which an editor completes " +
            "what the platform offers. Nothing is sent.",
        )
        .argument("<name>", "what it is called")
        .option("-d, --dir <folder>", "the folder", "functions")
        .option("--description <text>", "what it is for"),
    ),
    ["tenantry function new 'Count leads'", "functions/count_leads.py"],
  ).action(run);
