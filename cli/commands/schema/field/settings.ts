import type { Command } from "commander";

/** Options for the settings of a field. */
export const withFieldSettings = (command: Command): Command =>
  command
    .optionsGroup("Field:")
    .option("--label <label>", "the label, unless made from the api_name")
    .option("--description <text>", "what the field is for")
    .option("--help-text <text>", "a hint shown beside the input")
    .option("--default <value>", "the value of a new record if none is given; JSON or text")
    .option("--values <values>", "the choices, separated by |")
    .option("--list <name>", "the value list with the choices, in place of --values")
    .option("--required", "every record must have a value")
    .option("--no-required", "records may be without a value")
    .option("--restricted", "only the choices are accepted")
    .option("--no-restricted", "other values are accepted too")
    .option("--unique", "no two records hold the same value")
    .option("--no-unique", "records may hold the same value")
    .option("--indexed", "filters on the field stay fast")
    .option("--no-indexed", "there is no index")
    .option("--sensitive", "values are masked for callers without the scope sensitive:read")
    .option("--no-sensitive", "values are shown to all who may read the field")
    .option("--encrypted", "values are stored encrypted")
    .option("--no-encrypted", "values are stored in clear")
    .option("--wait", "until the index is there");
