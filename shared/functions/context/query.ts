import * as z from "zod";
import { postQuery, runDocdbQuery } from "#contracts/query";
import { runPipeline } from "#shared/data/pipeline/pipeline";
import { runQuery } from "#shared/data/query/query";
import { namedArguments, parsedAs } from "./arguments.ts";
import type { Method } from "./method.ts";

const parameters = z
  .array(z.unknown())
  .nullish()
  .transform((values) => values ?? []);

const sql: Method = {
  scope: "read",
  run: async ({ tenant }, call) => {
    const named = namedArguments(call, ["query", "params"]);
    const text = parsedAs(postQuery.request.body.shape.query, named.query, ["query"]);
    const values = parsedAs(parameters, named.params, ["params"]);
    const { result } = await runQuery(tenant, { text, loc: ["body", "query"], parameters: values });
    return result.records;
  },
};

const documents = z
  .union([z.array(z.unknown()), z.record(z.string(), z.unknown())])
  .nullish()
  .transform((given) => (Array.isArray(given) ? given : [{ $match: given ?? {} }]));

/** The second argument is a pipeline, or a filter alone. */
const docdb: Method = {
  scope: "read",
  run: async ({ tenant }, call) => {
    const second = ["filter", "pipeline"].find((name) => name in call.kwargs) ?? "pipeline";
    const named = namedArguments(call, ["collection", second]);
    const pipeline = parsedAs(documents, named[second], [second]);
    const body = parsedAs(runDocdbQuery.request.body, { collection: named.collection, pipeline });
    return (await runPipeline(tenant, body)).records;
  },
};

export const queryMethods: Readonly<Record<string, Method>> = { "query.sql": sql, "query.docdb": docdb };
