import { Command } from "commander";
import { connect } from "../../../connection/platform.ts";
import { type FieldOptions, fieldDefinition, fieldSettings, KINDS } from "../../../data/field-definition.ts";
import { type CommonOptions, withConnection, withExamples } from "../../../options.ts";
import { done } from "../../../terminal/terminal.ts";
import { withFieldSettings } from "./settings.ts";

const run = async (object: string, definition: string, options: CommonOptions & FieldOptions): Promise<void> => {
  const json = { object_id: object, ...fieldDefinition(definition), ...fieldSettings(options) };
  const { call } = await connect(options);
  const { body } = await call({ method: "POST", path: "/v1/schema/field", json });
  done(`Added ${(body as { api_name: string }).api_name} to ${object}`);
};

export const addField = (): Command =>
  withExamples(
    withConnection(
      withFieldSettings(
        new Command("add")
          .summary("add a field to an object")
          .description(`Adds a field. Kinds: ${KINDS}.`)
          .argument("<object>", "the object's api_name or id")
          .argument("<definition>", "such as amount:currency, company:lookup(company)! or stage:enum(Open|Done)"),
      ),
    ),
    ["tenantry schema field add project budget:currency --default 1000"],
    ["tenantry schema field add project 'number:auto-number(P-{0000})' --unique"],
  ).action(run);
