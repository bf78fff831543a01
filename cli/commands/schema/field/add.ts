import { Command } from "commander";
import { connect } from "../../../connection/platform.ts";
import { type FieldOptions, fieldDefinition, fieldSettings, KINDS } from "../../../data/field-definition.ts";
import type { ObjectSchema } from "../../../data/typed.ts";
import { type CommonOptions, withConnection, withExamples } from "../../../options.ts";
import { done } from "../../../terminal/terminal.ts";
import { followIndex } from "./index-status.ts";
import { withFieldSettings } from "./settings.ts";

const run = async (
  object: string,
  definition: string,
  options: CommonOptions & FieldOptions & { readonly wait?: boolean },
): Promise<void> => {
  const json = { object_id: object, ...fieldDefinition(definition), ...fieldSettings(options) };
  const { call } = await connect(options);
  const { body } = await call({ method: "POST", path: "/v1/schema/field", json });
  const field = body as ObjectSchema["properties"][string];
  done(`Added ${field.api_name} to ${object}`);
  await followIndex(call, object, field, options);
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
