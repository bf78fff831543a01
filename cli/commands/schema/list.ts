import { Command } from "commander";
import { connect } from "../../connection/platform.ts";
import { allSchemas } from "../../data/schemas.ts";
import { type CommonOptions, withConnection, withExamples, withFormats } from "../../options.ts";
import { formatOf, rowWriter } from "../../terminal/show.ts";
import { remark } from "../../terminal/terminal.ts";
import { counted } from "../../terminal/text.ts";

const run = async (options: CommonOptions): Promise<void> => {
  const schemas = await allSchemas(await connect(options));
  const rows = schemas.map(({ api_name, name, properties, custom, description }) => ({
    api_name,
    name,
    fields: Object.keys(properties).length,
    custom,
    description: description ?? null,
  }));
  const writer = rowWriter(formatOf(options), options);
  const columns = [
    { key: "api_name", title: "object" },
    { key: "name" },
    { key: "fields", type: "number" },
    { key: "custom" },
    { key: "description" },
  ];
  await writer.write(formatOf(options) === "csv" ? columns.map(({ key }) => ({ key })) : columns, rows);
  await writer.end();
  remark(`${counted(rows.length, "object")}. The fields of one: tenantry schema get ${rows[0]?.api_name ?? "lead"}`);
};

export const listSchemas = (): Command =>
  withExamples(
    withConnection(
      withFormats(
        new Command("list")
          .alias("ls")
          .summary("show the objects")
          .description("Shows the objects of the organization that you may read."),
      ),
    ),
    ["tenantry schema list"],
    ["tenantry schema list --output ndjson | jq -r 'select(.custom) | .api_name'", "only the custom ones"],
  ).action(run);
