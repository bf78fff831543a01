import { runQuery } from "#shared/data/query/query";
import { type Execute, next } from "./node.ts";
import { requireScope } from "./scopes.ts";

export const query: Execute<"query"> = async ({ config }, { tenant, evaluation }) => {
  requireScope(tenant, "read");
  const params = evaluation.value(config.params ?? []) as unknown[];
  const { result } = await runQuery(tenant, { text: config.sql, loc: ["body", "sql"], parameters: params });
  return { result: next, inputs: { sql: config.sql, params }, output: result.records };
};
