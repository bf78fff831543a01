import { Command } from "commander";
import { connect } from "../../connection/platform.ts";
import { saveRecords } from "../../data/save-records.ts";
import { readRows, type WriteOptions, withAssignments, withData } from "../../data/write-records.ts";
import { Failure } from "../../failure.ts";
import { withConnection, withExamples, withFormats } from "../../options.ts";

/** Ids have no braces. JSON and a lone dash are data. */
const isData = (text: string): boolean => /^\s*[[{]|^-$/.test(text);

const run = async (
  object: string,
  first: string | undefined,
  second: string | undefined,
  options: WriteOptions,
): Promise<void> => {
  const id = first !== undefined && !isData(first) ? first : undefined;
  const argument = id === undefined ? first : second;
  const platform = await connect(options);
  const read = await readRows(platform, object, argument, options, true);
  if (id !== undefined && !read.single)
    throw new Failure("usage", "One id needs one record, and this is a list of them.");
  const rows =
    id === undefined ? read : { ...read, rows: read.rows.map((row) => ({ ...row, record: { ...row.record, id } })) };
  const nameless = rows.rows.find(({ record }) => typeof record.id !== "string");
  if (nameless) {
    throw new Failure("usage", `The record at ${rows.unit} ${nameless.place} has no id.`, {
      hint: "Say which record is meant: tenantry record update <object> <id> …, or give each record its id.",
    });
  }
  await saveRecords({ platform, object, rows, method: "PATCH", verb: "updated" }, options);
};

export const updateRecord = (): Command =>
  withExamples(
    withConnection(
      withFormats(
        withData(
          withAssignments(
            new Command("update")
              .summary("change one record or thousands")
              .description(
                "Changes the fields that are given, and no others. In JSON null takes a value away; an empty CSV " +
                  "cell changes nothing.",
              )
              .argument("<object>", "the object's api_name")
              .argument("[id]", "the record to change; left out where each record in the data has its id")
              .argument("[data]", "the fields to change as JSON; - is standard input"),
          ),
        ),
      ),
    ),
    ["tenantry record update lead 019a0000-0000-7000-8000-000000000000 --set status=Won"],
    ["tenantry record update lead 019a0000-0000-7000-8000-000000000000 '{\"amount\": null}'", "takes the amount away"],
    ["tenantry record update lead --file changes.csv", "with a column id"],
  ).action(run);
