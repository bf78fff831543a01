import { Command } from "commander";
import { connect } from "../../../connection/platform.ts";
import { path } from "../../../connection/request.ts";
import type { ObjectSchema } from "../../../data/typed.ts";
import { type CommonOptions, withConnection, withExamples, withFormats } from "../../../options.ts";
import { formatOf, rowWriter } from "../../../terminal/show.ts";
import { remark } from "../../../terminal/terminal.ts";
import { counted } from "../../../terminal/text.ts";

const run = async (object: string, options: CommonOptions): Promise<void> => {
  const { call } = await connect(options);
  const { body } = await call({ method: "GET", path: path`/v1/schema/${object}`, repeatable: true });
  const { name, validation_rules } = body as ObjectSchema;
  const isTable = formatOf(options) === "table";
  const rows = validation_rules.map((rule) => (isTable ? { ...rule, on: rule.on.join(", ") } : rule));
  const keys = ["api_name", "active", "on", "condition", "error_message", "error_field"];
  const writer = rowWriter(formatOf(options), options);
  await writer.write(
    keys.map((key) => ({ key })),
    rows,
  );
  await writer.end();
  remark(`${name}: ${counted(rows.length, "rule")}`);
};

export const listRules = (): Command =>
  withExamples(
    withConnection(
      withFormats(
        new Command("list")
          .alias("ls")
          .summary("show the validation rules of an object")
          .description("Shows the validation rules of an object.")
          .argument("<object>", "the object's api_name or id"),
      ),
    ),
    ["tenantry schema rule list invoice"],
  ).action(run);
