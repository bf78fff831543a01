import { Command, Option } from "commander";
import { connect } from "../../../connection/platform.ts";
import { path } from "../../../connection/request.ts";
import type { Json } from "../../../json.ts";
import { type CommonOptions, collected, withConnection, withExamples } from "../../../options.ts";
import { done, print, remark } from "../../../terminal/terminal.ts";
import { counted } from "../../../terminal/text.ts";

interface AddOptions extends CommonOptions {
  readonly message: string;
  readonly name?: string;
  readonly apiName?: string;
  readonly description?: string;
  readonly field?: string;
  readonly on?: readonly string[];
  readonly inactive?: true;
  readonly dryRun?: true;
}

interface Trial {
  readonly checked: number;
  readonly failing: number;
  readonly ids: readonly string[];
  readonly complete: boolean;
}

const showTrial = async ({ checked, failing, ids, complete }: Trial): Promise<void> => {
  await print(ids.map((id) => `${id}\n`).join(""));
  done(
    `It would refuse ${failing} of ${counted(checked, "stored record")}${complete ? "" : " (not all were checked)"}`,
  );
  if (ids.length < failing) remark(`Shown are the first ${ids.length}.`);
};

const run = async (object: string, condition: string, options: AddOptions): Promise<void> => {
  const { message, name = message, apiName: api_name, description, field: error_field, on } = options;
  const active = options.inactive ? false : undefined;
  const json = { name, api_name, description, active, on, condition, error_message: message, error_field };
  const { call } = await connect(options);
  const reads = options.dryRun === true;
  const address = `${path`/v1/schema/${object}/validation-rule`}${reads ? "?dry_run=true" : ""}`;
  const { body } = await call({ method: "POST", path: address, json, reads });
  if (options.dryRun) return showTrial(body as Trial);
  done(`Added ${(body as Json).api_name} to ${object}`);
};

export const addRule = (): Command =>
  withExamples(
    withConnection(
      new Command("add")
        .summary("add a validation rule to an object")
        .description("Adds a rule: records for which the condition is true are refused.")
        .argument("<object>", "the object's api_name or id")
        .argument("<condition>", "CEL over record, old, user and now")
        .requiredOption("-m, --message <text>", "what a refused caller is told")
        .option("--name <label>", "the label, unless it is the message")
        .option("--api-name <name>", "the key, unless made from the label")
        .option("--description <text>", "what the rule is for")
        .option("--field <field>", "the field that the message is about")
        .addOption(
          new Option("--on <operation>", "create, update or delete; may be repeated [create, update]").argParser(
            collected,
          ),
        )
        .option("--inactive", "add it without enforcing it")
        .option("--dry-run", "save nothing; tell which stored records it would refuse"),
    ),
    [
      "tenantry schema rule add invoice 'record.amount > 1000 && record.due_date == null' -m 'Needs a due date' --field due_date",
    ],
    ["tenantry schema rule add task \"record.status != 'Done'\" -m 'Finish it first' --on delete --dry-run"],
  ).action(run);
