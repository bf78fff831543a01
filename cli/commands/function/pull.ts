import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { Command } from "commander";
import { connect } from "../../connection/platform.ts";
import { findDefinitions } from "../../data/definitions.ts";
import { Failure } from "../../failure.ts";
import { type CommonOptions, withConnection, withExamples } from "../../options.ts";
import { done, say, tint } from "../../terminal/terminal.ts";

interface PullOptions extends CommonOptions {
  readonly dir: string;
  readonly force?: true;
}

/** The names come from the platform, so they must not lead out of the folder. */
const isFileName = (name: unknown): name is string =>
  typeof name === "string" && basename(name) === name && /^[\w.-]+\.py$/.test(name);

const run = async (names: readonly string[], options: PullOptions): Promise<void> => {
  const found = await findDefinitions(await connect(options), "function", names);
  const missing = names.find((name) => !found.some(({ file_name }) => file_name === name));
  if (missing !== undefined) throw new Failure("usage", `There is no function ${missing}.`);
  await mkdir(options.dir, { recursive: true });
  for (const { file_name, code } of found) {
    if (!isFileName(file_name) || typeof code !== "string") continue;
    const path = join(options.dir, file_name);
    const before = await readFile(path, "utf8").catch(() => undefined);
    if (before === code) say(tint.dim(`  ${path} has not changed`));
    else if (before !== undefined && !options.force) {
      throw new Failure("usage", `${path} is different here.`, { hint: "Add --force to replace it." });
    } else {
      await writeFile(path, code);
      done(`Wrote ${path}`);
    }
  }
};

export const pullFunction = (): Command =>
  withExamples(
    withConnection(
      new Command("pull")
        .summary("write functions into files")
        .description("Writes the code of functions into files. A file that is different here is not replaced.")
        .argument("[name...]", "file names; without them all functions")
        .option("-d, --dir <folder>", "the folder", "functions")
        .option("--force", "replace files that are different"),
    ),
    ["tenantry function pull"],
    ["tenantry function pull count_leads.py --force"],
  ).action(run);
