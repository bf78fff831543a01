import { type Command, InvalidArgumentError, Option } from "commander";
import type { ConnectionOptions } from "./connection/target.ts";

export const formats = ["table", "json", "ndjson", "csv"] as const;

export type Format = (typeof formats)[number];

export interface OutputOptions {
  readonly output?: Format;
  readonly csv?: true;
  readonly raw?: true;
}

export type CommonOptions = ConnectionOptions & OutputOptions;

const colourless = (): Option => new Option("--no-color", "no colours; so does the variable NO_COLOR");

/** Options of all commands. */
export const withColour = (command: Command): Command => command.optionsGroup("General:").addOption(colourless());

const withPlatform = (command: Command): Command =>
  command
    .optionsGroup("Where:")
    .option("-p, --profile <name>", "act as this profile")
    .option("--url <address>", "use the platform at this address")
    .option("--organization <id>", "work in this one of your organizations");

/** Options of all commands that use a platform. */
export const withConnection = (command: Command): Command =>
  withColour(withPlatform(command).option("--sandbox <name>", "work in this sandbox of the organization"));

/** Options of commands that work in the organization itself, also if a sandbox is named. */
export const withParentConnection = (command: Command): Command => withColour(withPlatform(command));

const asJson = (): Option => new Option("--json", "the same as --output json").implies({ output: "json" });

/** For commands that print many records. */
export const withFormats = (command: Command): Command =>
  command
    .optionsGroup("Output:")
    .addOption(
      new Option("-o, --output <format>", "table on a terminal, ndjson in a pipe, unless you say so").choices(formats),
    )
    .option("--csv", "the same as --output csv")
    .addOption(asJson())
    .option("--raw", "CSV cells as they are, in and out; else what a spreadsheet would run has a ' before it");

/** For commands that print one thing. */
export const withJson = (command: Command): Command =>
  command
    .optionsGroup("Output:")
    .addOption(
      new Option("-o, --output <format>", "table on a terminal, json in a pipe, unless you say so").choices([
        "table",
        "json",
      ]),
    )
    .addOption(asJson());

/** Examples below the help of a command. */
export const withExamples = (
  command: Command,
  ...examples: readonly (readonly [command: string, meaning?: string])[]
): Command =>
  command.addHelpText(
    "after",
    `\nExamples:\n${examples.map(([line, meaning]) => `${meaning ? `  # ${meaning}\n` : ""}  $ ${line}`).join("\n")}`,
  );

/** Parses an option's number. */
export const between =
  (least: number, most: number) =>
  (text: string): number => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`It must be a number from ${least} to ${most}.`);
  };

export interface RecordAddress {
  readonly object: string;
  readonly id: string;
}

/** Parses an option's record: `lead/019a…`. */
export const recordAddress = (text: string): RecordAddress => {
  const [object = "", id = "", ...rest] = text.split("/");
  if (object === "" || id === "" || rest.length > 0) throw new InvalidArgumentError("Expected object/id.");
  return { object, id };
};

/** Collects an option that may be repeated. */
export const collected = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];
