import { Command } from "commander";
import { connect } from "../../connection/platform.ts";
import { path } from "../../connection/request.ts";
import { Failure } from "../../failure.ts";
import type { Json } from "../../json.ts";
import { type CommonOptions, withConnection, withExamples, withJson } from "../../options.ts";
import { recordColumns } from "../../terminal/record-columns.ts";
import { showOne } from "../../terminal/show.ts";

const run = async (object: string, id: string, options: CommonOptions): Promise<void> => {
  const { call } = await connect(options);
  try {
    const reply = await call({ method: "GET", path: path`/v1/object/${object}/${id}`, repeatable: true });
    const record = reply.body as Json;
    await showOne(options, record, recordColumns([record]));
  } catch (error) {
    if (!(error instanceof Failure) || error.details.code !== "record_not_found") throw error;
    throw new Failure("refused", error.message, {
      ...error.details,
      hint: `Which are there? tenantry record list ${object}`,
    });
  }
};

export const getRecord = (): Command =>
  withExamples(
    withConnection(
      withJson(
        new Command("get")
          .summary("show a record")
          .description("Shows one record with all fields that you may read.")
          .argument("<object>", "the object's api_name")
          .argument("<id>", "the record's id"),
      ),
    ),
    ["tenantry record get lead 019a0000-0000-7000-8000-000000000000"],
    ["tenantry record get lead 019a0000-0000-7000-8000-000000000000 --output json | jq .amount"],
  ).action(run);
