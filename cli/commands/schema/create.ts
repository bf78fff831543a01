import { Command } from "commander";
import { connect } from "../../connection/platform.ts";
import { fieldDefinition, KINDS } from "../../data/field-definition.ts";
import type { ObjectSchema } from "../../data/typed.ts";
import { type CommonOptions, collected, withConnection, withExamples, withJson } from "../../options.ts";
import { done, isTerminal, print, remark } from "../../terminal/terminal.ts";

interface CreateOptions extends CommonOptions {
  readonly apiName?: string;
  readonly pluralName?: string;
  readonly description?: string;
  readonly field?: readonly string[];
}

const run = async (name: string, options: CreateOptions): Promise<void> => {
  const fields = (options.field ?? []).map(fieldDefinition);
  const { call } = await connect(options);
  const body = {
    name,
    ...(options.apiName !== undefined && { api_name: options.apiName }),
    ...(options.pluralName !== undefined && { plural_name: options.pluralName }),
    ...(options.description !== undefined && { description: options.description }),
    fields,
  };
  const schema = (await call({ method: "POST", path: "/v1/schema", json: body })).body as ObjectSchema;
  if ((options.output ?? (isTerminal() ? "table" : "json")) === "json") {
    return print(`${JSON.stringify(schema, undefined, 2)}\n`);
  }
  done(`Created ${schema.api_name}`);
  remark(`Its records: tenantry record create ${schema.api_name} --set name=...`);
};

export const createSchema = (): Command =>
  withExamples(
    withConnection(
      withJson(
        new Command("create")
          .summary("create an object")
          .description(`Creates an object with its fields. Every object has the field name. Kinds of fields: ${KINDS}.`)
          .argument("<name>", "the label, such as 'Work order'")
          .option("--api-name <api-name>", "the name in paths and queries, unless made from the label")
          .option("--plural-name <label>", "the label of several records")
          .option("--description <text>", "what the records are")
          .option("-f, --field <definition>", "a field, such as amount:currency; may be repeated", collected),
      ),
    ),
    ["tenantry schema create Project -f budget:currency -f 'customer:lookup(company)!' -f 'stage:enum(Open|Done)'"],
  ).action(run);
