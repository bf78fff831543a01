import { Command } from "commander";
import { type ConnectionOptions, parentTargetOf } from "../connection/target.ts";
import { Failure } from "../failure.ts";
import { withConnection, withExamples } from "../options.ts";
import { openBrowser } from "../terminal/browser.ts";
import { isTerminal, print, remark } from "../terminal/terminal.ts";

interface OpenOptions extends ConnectionOptions {
  readonly print?: true;
}

const run = async (options: OpenOptions): Promise<void> => {
  const { url } = await parentTargetOf(options);
  const page = `${url}/docs`;
  await print(`${page}\n`);
  if (options.print || !isTerminal()) return;
  try {
    await openBrowser(page);
  } catch {
    throw new Failure("failed", "No browser could be started.", { hint: `Open ${page} yourself.` });
  }
  remark("Opened in your browser.");
};

export const open = (): Command =>
  withExamples(
    withConnection(
      new Command("open")
        .summary("read the API reference in a browser")
        .description("Opens the API reference that the platform serves, and prints its address.")
        .option("--print", "only print the address"),
    ),
    ["tenantry open"],
    ["tenantry open --print"],
  ).action(run);
