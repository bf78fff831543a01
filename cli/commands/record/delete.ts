import { Command } from "commander";
import { labelOf } from "../../connection/places.ts";
import { connect } from "../../connection/platform.ts";
import { path } from "../../connection/request.ts";
import { readSource } from "../../data/input.ts";
import { type Row, type Rows, rowsOf } from "../../data/rows.ts";
import { type WriteOptions, withData, writeAll } from "../../data/write-records.ts";
import { Failure } from "../../failure.ts";
import { withConnection, withExamples } from "../../options.ts";
import { askWhether } from "../../terminal/prompt.ts";
import { done } from "../../terminal/terminal.ts";
import { counted } from "../../terminal/text.ts";

interface DeleteOptions extends WriteOptions {
  readonly yes?: true;
}

/** The ids are in the URL, and servers on the way limit its length. */
const IDS_IN_ADDRESS = 100;

const isBareIds = (text: string): boolean => !/^\s*[[{]/.test(text) && !/[,;\t]/.test(text.split("\n", 1)[0] ?? "");

const bareIds = (text: string): Rows => {
  const lines = text.split("\n").map((line, index) => ({ place: index + 1, record: { id: line.trim() } }));
  const rows = lines.filter(({ record }) => record.id !== "" && record.id !== "id");
  return { rows, unit: "line", untyped: false, single: false };
};

const rowsToDelete = async (ids: readonly string[], options: DeleteOptions): Promise<Rows> => {
  if (ids.length > 0) {
    const rows = ids.map((id, index) => ({ place: index + 1, record: { id } }));
    return { rows, unit: "item", untyped: false, single: ids.length === 1 };
  }
  const source = await readSource(undefined, options.file);
  if (source === undefined)
    throw new Failure("usage", "Which records? Give their ids, as arguments, with --file or in a pipe.");
  const bare = options.format === undefined && isBareIds(source.text);
  const rows = bare ? bareIds(source.text) : await rowsOf(source, options);
  const nameless = rows.rows.find(({ record }) => typeof record.id !== "string" || record.id === "");
  if (nameless) throw new Failure("usage", `In ${source.name}: there is no id at ${rows.unit} ${nameless.place}.`);
  if (rows.rows.length === 0) throw new Failure("usage", `There are no ids in ${source.name}.`);
  return { ...rows, single: false };
};

const run = async (object: string, ids: readonly string[], options: DeleteOptions): Promise<void> => {
  const platform = await connect(options);
  const rows = await rowsToDelete(ids, options);
  if (!rows.single && !options.yes) {
    const where = labelOf(await platform.place());
    const message = `Delete ${counted(rows.rows.length, `${object} record`)} in ${where}? They cannot be brought back.`;
    await askWhether({ message, otherwise: "Add --yes to delete them without a question." });
  }
  const write = async (some: readonly Row[]) => {
    const query = new URLSearchParams();
    for (const { record } of some) query.append("ids", String(record.id));
    await platform.call({ method: "DELETE", path: `${path`/v1/object/${object}`}?${query}`, retries: 5 });
    return some.map(({ record }) => ({ id: record.id }));
  };
  const batch = Math.min(options.batch, IDS_IN_ADDRESS);
  await writeAll({ platform, rows, verb: "deleted", write }, { ...options, batch });
  if (rows.single) done(`Deleted ${ids[0]}`);
};

export const deleteRecord = (): Command =>
  withExamples(
    withConnection(
      withData(
        new Command("delete")
          .alias("rm")
          .summary("delete records")
          .description("Deletes records by their ids. More than one only after a question, or with --yes.")
          .argument("<object>", "the object's api_name")
          .argument("[id...]", "the records; without them, --file or standard input is read: an id a line, or records")
          .option("-y, --yes", "do not ask"),
      ),
    ),
    ["tenantry record delete lead 019a0000-0000-7000-8000-000000000000"],
    ["tenantry query \"SELECT id FROM lead WHERE status = 'Lost'\" --all | tenantry record delete lead --yes"],
  ).action(run);
