import { CommanderError } from "commander";
import manifest from "../package.json" with { type: "json" };
import { exitCodes, Failure } from "./failure.ts";
import { program } from "./program.ts";
import { say, survivePipes, tint } from "./terminal/terminal.ts";

const tell = ({ message, details: { hint, requestId } }: Failure): void => {
  say(`${tint.red("✗")} ${message}`);
  if (hint) say(tint.dim(`  ${hint}`));
  if (requestId && process.env.DEBUG) say(tint.dim(`  Request ${requestId}`));
};

const exitCodeFor = (error: unknown): number => {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage;
  if (error instanceof Failure) {
    tell(error);
    return error.exitCode;
  }
  say(`${tint.red("✗")} ${error instanceof Error ? error.message : String(error)}`);
  if (process.env.DEBUG && error instanceof Error) say(error.stack ?? "");
  else say(tint.dim("  This should not happen. Run it again with DEBUG=1 to see where it comes from."));
  return exitCodes.failed;
};

/** Runs the command line. Pending output is written before the process ends by itself. */
export const main = async (): Promise<void> => {
  survivePipes();
  try {
    await program(manifest.version).parseAsync();
  } catch (error) {
    process.exitCode = exitCodeFor(error);
  }
};
