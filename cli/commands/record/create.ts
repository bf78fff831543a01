import { createHash, randomUUID } from "node:crypto";
import { Command } from "commander";
import { connect } from "../../connection/platform.ts";
import type { Row } from "../../data/rows.ts";
import { saveRecords } from "../../data/save-records.ts";
import { readRows, type WriteOptions, withAssignments, withData } from "../../data/write-records.ts";
import { withConnection, withExamples, withFormats } from "../../options.ts";

interface CreateOptions extends WriteOptions {
  readonly idempotencyKey?: string;
}

/** The same for the same rows of one run, so that a batch whose reply was lost is created once. */
const keyOf = (run: string, rows: readonly Row[]): string =>
  createHash("sha256")
    .update(`${run}\n${JSON.stringify(rows)}`)
    .digest("base64url");

const run = async (object: string, argument: string | undefined, options: CreateOptions): Promise<void> => {
  const platform = await connect(options);
  const rows = await readRows(platform, object, argument, options, false);
  const runKey = options.idempotencyKey ?? randomUUID();
  const headersOf = (some: readonly Row[]) => ({ "idempotency-key": keyOf(runKey, some) });
  await saveRecords({ platform, object, rows, method: "POST", verb: "created", headersOf }, options);
};

export const createRecord = (): Command =>
  withExamples(
    withConnection(
      withFormats(
        withData(
          withAssignments(
            new Command("create")
              .summary("create one record or thousands")
              .description(
                "Creates records from JSON, NDJSON or CSV. Many travel in batches. A record that is refused does " +
                  "not keep the others from being created: it is reported with its place in the data, and the exit " +
                  "code is 6. A CSV that --csv wrote gives the values back as they were: the ' before what a " +
                  "spreadsheet would run is taken away.",
              )
              .argument("<object>", "the object's api_name")
              .argument("[data]", "a record or an array of records as JSON; - is standard input"),
          ),
        ).option("--idempotency-key <key>", "name this import: run again within 24 hours, it creates nothing twice"),
      ),
    ),
    ["tenantry record create lead --set name='Grace Hopper' --set amount=1906"],
    ['tenantry record create lead \'{"name": "Grace Hopper", "status": "New"}\''],
    ["tenantry record create lead --file leads.csv --failures failed.ndjson", "the first line names the fields"],
    ["cat leads.ndjson | tenantry record create lead > created.ndjson"],
  ).action(run);
