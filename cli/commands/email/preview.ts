import { Command } from "commander";
import { connect } from "../../connection/platform.ts";
import { readSource } from "../../data/input.ts";
import { readInputs } from "../../data/inputs.ts";
import { Failure } from "../../failure.ts";
import type { Json } from "../../json.ts";
import {
  type CommonOptions,
  collected,
  type RecordAddress,
  recordAddress,
  withConnection,
  withExamples,
  withJson,
} from "../../options.ts";
import { showOne } from "../../terminal/show.ts";
import { warn } from "../../terminal/terminal.ts";

interface PreviewOptions extends CommonOptions {
  readonly file?: string;
  readonly subject?: string;
  readonly data?: string;
  readonly set?: readonly string[];
  readonly record?: RecordAddress;
}

interface Preview {
  readonly subject: string;
  readonly text: string;
  readonly missing: readonly {
    readonly name: string;
    readonly part: string;
    readonly line: number;
    readonly column: number;
  }[];
}

const run = async (template: string | undefined, options: PreviewOptions): Promise<void> => {
  const { file, subject, data, set, record } = options;
  if ((template === undefined) === (file === undefined)) {
    throw new Failure("usage", "Give the id of a template, or --file with its HTML.");
  }
  const html = file === undefined ? undefined : (await readSource(undefined, file))?.text;
  const values = await readInputs({ ...(data !== undefined && { inputs: data }), ...(set && { set }) });
  const json = {
    ...(template === undefined ? { html, ...(subject !== undefined && { subject }) } : { template_id: template }),
    data: values,
    ...(record !== undefined && { record }),
  };
  const { call } = await connect(options);
  const path = "/v1/email-services/preview-template";
  const reply = await call({ method: "POST", path, json, reads: true, repeatable: true });
  const { subject: shown, text, missing } = reply.body as Preview;
  await showOne(options, reply.body as Json, [{ key: "subject" }, { key: "text" }], { subject: shown, text });
  for (const { name, part, line, column } of missing) {
    warn(`${name} has no value (${part}, line ${line}, column ${column}).`);
  }
};

export const previewEmail = (): Command =>
  withExamples(
    withConnection(
      withJson(
        new Command("preview")
          .summary("see what a template makes, without sending it")
          .description("Renders a template, shows subject and text, and names the variables that have no value.")
          .argument("[template]", "the id of a template record")
          .option("-f, --file <path>", "a file with HTML in Liquid instead")
          .option("--subject <text>", "with --file: its subject")
          .option("--data <json>", "the values of its variables, or @file")
          .option("--set <name=value>", "one value; may be repeated", collected)
          .option("--record <object/id>", "a record that it reads as `record`", recordAddress),
      ),
    ),
    ["tenantry email preview 019a0000-0000-7000-8000-000000000000 --set name=Ada"],
    ["tenantry email preview --file welcome.html --data @ada.json --json | jq -r .html > welcome-ada.html"],
  ).action(run);
