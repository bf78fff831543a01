import { Command } from "commander";
import { connect } from "../../connection/platform.ts";
import { path } from "../../connection/request.ts";
import type { ObjectSchema } from "../../data/typed.ts";
import { type CommonOptions, withConnection, withExamples, withJson } from "../../options.ts";
import { table } from "../../terminal/table.ts";
import { isTerminal, print, remark } from "../../terminal/terminal.ts";
import { counted } from "../../terminal/text.ts";

type Field = ObjectSchema["properties"][string];

const typeOf = ({ type, format, schema }: Field): string => {
  if (schema !== undefined) return `${format ?? type} → ${schema}`;
  return format === undefined ? type : `${type} (${format})`;
};

const notes = (field: Field): string =>
  [
    field.required && "required",
    field.unique && "unique",
    field.index_status === "building" && "its index is being built",
    field.index_status === "failed" && `its index was not built: ${field.index_failure}`,
    field.system && "system",
    field.values && `${field.restricted ? "one of" : "such as"}: ${field.values.join(", ")}`,
    field.global_list_name && `list: ${field.global_list_name}`,
    field.description,
  ]
    .filter(Boolean)
    .join("; ");

const run = async (object: string, options: CommonOptions): Promise<void> => {
  const { call } = await connect(options);
  const schema = (await call({ method: "GET", path: path`/v1/schema/${object}`, repeatable: true }))
    .body as ObjectSchema;
  if ((options.output ?? (isTerminal() ? "table" : "json")) === "json") {
    return print(`${JSON.stringify(schema, undefined, 2)}\n`);
  }
  const fields = Object.values(schema.properties);
  const rows = fields.map((field) => ({ field: field.api_name, type: typeOf(field), notes: notes(field) }));
  await print(table([{ key: "field" }, { key: "type" }, { key: "notes" }], rows));
  remark(`${schema.name}: ${counted(fields.length, "field")}, ${counted(schema.validation_rules.length, "rule")}`);
};

export const getSchema = (): Command =>
  withExamples(
    withConnection(
      withJson(
        new Command("get")
          .summary("show the fields of an object")
          .description("Shows an object's fields; as JSON all there is to know about it.")
          .argument("<object>", "the object's api_name or id"),
      ),
    ),
    ["tenantry schema get lead"],
    ["tenantry schema get lead --output json | jq '.properties | keys'"],
  ).action(run);
