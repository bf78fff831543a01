import { Command } from "commander";
import { connect } from "../../../connection/platform.ts";
import { type FieldOptions, fieldSettings } from "../../../data/field-definition.ts";
import type { ObjectSchema } from "../../../data/typed.ts";
import { type CommonOptions, withConnection, withExamples } from "../../../options.ts";
import { done } from "../../../terminal/terminal.ts";
import { followIndex } from "./index-status.ts";
import { withFieldSettings } from "./settings.ts";

const run = async (
  object: string,
  field: string,
  options: CommonOptions & FieldOptions & { readonly wait?: boolean },
): Promise<void> => {
  const { call } = await connect(options);
  const json = { object_id: object, api_name: field, ...fieldSettings(options) };
  const { body } = await call({ method: "PATCH", path: "/v1/schema/field", json });
  done(`Changed ${field} of ${object}`);
  await followIndex(call, object, body as ObjectSchema["properties"][string], options);
};

export const updateField = (): Command =>
  withExamples(
    withConnection(
      withFieldSettings(
        new Command("update")
          .summary("change a field of an object")
          .description("Changes what is given.")
          .argument("<object>", "the object's api_name or id")
          .argument("<field>", "the field's api_name"),
      ),
    ),
    ["tenantry schema field update project stage --values 'Open|Waiting|Done'"],
    ["tenantry schema field update project customer --no-required"],
  ).action(run);
