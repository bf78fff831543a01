import { writeFile } from "node:fs/promises";
import { exitCodes, Failure } from "../failure.ts";
import { say, tint } from "../terminal/terminal.ts";
import { counted, plain } from "../terminal/text.ts";
import type { Outcome } from "./batches.ts";
import type { Rows } from "./rows.ts";

const LISTED = 10;

export interface Report {
  /** `created`, `updated` or `deleted`. */
  readonly verb: string;
  readonly outcome: Outcome;
  readonly unit: Rows["unit"];
  readonly seconds: number;
  /** The file for all failures, one JSON object a line. */
  readonly failuresPath: string | undefined;
  readonly interrupted: boolean;
}

const listFailures = ({ outcome: { failures }, unit, failuresPath }: Report): void => {
  const digits = String(failures[Math.min(LISTED, failures.length) - 1]?.row.place ?? 0).length;
  for (const { row, message } of failures.slice(0, LISTED)) {
    say(`  ${tint.dim(`${unit} ${String(row.place).padStart(digits)}`)}  ${plain(message)}`);
  }
  if (failures.length > LISTED) {
    const rest = counted(failures.length - LISTED, "more", "more");
    say(
      tint.dim(failuresPath ? `  … and ${rest}` : `  … and ${rest}; all of them in a file: --failures failed.ndjson`),
    );
  }
};

/** Reports what was done. @throws Failure if something was not */
export const tell = async (report: Report): Promise<void> => {
  const { outcome, verb, unit, seconds, failuresPath, interrupted } = report;
  const { written, failures, fatal, untried } = outcome;
  if (written.length > 0)
    say(`${tint.green("✓")} ${counted(written.length, "record")} ${verb} in ${seconds.toFixed(1)} s`);
  if (failures.length > 0) {
    say(`${tint.red("✗")} ${counted(failures.length, "record")} refused:`);
    listFailures(report);
  }
  if (failuresPath !== undefined && failures.length > 0) {
    const lines = failures.map(({ row, message }) =>
      JSON.stringify({ [unit]: row.place, error: plain(message), record: row.record }),
    );
    await writeFile(failuresPath, `${lines.join("\n")}\n`);
    say(tint.dim(`  All of them are in ${failuresPath}`));
  }
  if (untried > 0) say(`${tint.yellow("!")} ${counted(untried, "record")} not ${verb}, because the work was stopped`);
  if (fatal !== undefined) throw fatal;
  if (interrupted) process.exitCode = exitCodes.interrupted;
  else if (failures.length > 0) process.exitCode = written.length > 0 ? exitCodes.partly : exitCodes.refused;
};

/** A single record needs no report. */
export const tellOne = ({ failures, fatal }: Outcome): void => {
  if (fatal !== undefined) throw fatal;
  const [failure] = failures;
  if (failure === undefined) return;
  const things = failure.message.split("\n");
  if (things.length === 1) throw new Failure("refused", failure.message);
  throw new Failure("refused", [`${things.length} things are wrong with the record:`, ...things].join("\n  "));
};
