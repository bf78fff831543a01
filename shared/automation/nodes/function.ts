import { runFunction } from "#shared/functions/functions";
import { NodeError } from "../engine/node-error.ts";
import { type Execute, next } from "./node.ts";
import { requireScope } from "./scopes.ts";

/** `{status: "error"}` that a function returns is its output. An exception and a limit are failures of the node. */
export const function_: Execute<"function"> = async ({ config }, { tenant, evaluation, execution, deadline }) => {
  requireScope(tenant, "write");
  const { function_name, function_id = "" } = config;
  const which = function_name === undefined ? { id: function_id } : { file_name: function_name };
  const kwargs = evaluation.value(config.inputs ?? {}) as Record<string, unknown>;
  const outcome = await runFunction(tenant, which, kwargs, { place: "automation", deadline, parent: execution });
  const { error } = outcome;
  if (error !== undefined) {
    throw new NodeError(error.kind === "exception" ? error.type : error.kind, error.message);
  }
  return { result: next, inputs: { ...which, inputs: kwargs }, output: outcome.output };
};
