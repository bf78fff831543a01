import * as z from "zod";
import { id } from "#contracts/common";
import { answerOf } from "../answer.ts";
import { parentOf } from "../executions/execution.ts";
import type { Origin, ParentExecution } from "../outcome.ts";
import { runFunction } from "../run-function.ts";
import { namedArguments, parsedAs } from "./arguments.ts";
import type { Calling, Method } from "./method.ts";

const inputs = z
  .record(z.string(), z.unknown())
  .nullish()
  .transform((given) => given ?? {});

const originOf = ({ execution, deadline }: Calling): Origin & { readonly parent: ParentExecution } => ({
  place: "function",
  deadline,
  parent: parentOf(execution),
});

/** Gives what the route gives: the output of the function, or `{status: "error", …}`. */
const run: Method = {
  scope: "write",
  run: async (calling, call) => {
    const named = namedArguments(call, ["function_name", "kwargs"]);
    const file_name = parsedAs(z.string().min(1).max(200), named.function_name, ["function_name"]);
    const kwargs = parsedAs(inputs, named.kwargs, ["kwargs"]);
    return answerOf(await runFunction(calling.tenant, { file_name }, kwargs, originOf(calling)));
  },
};

const runWorkflow: Method = {
  scope: "write",
  run: async (calling, call) => {
    const named = namedArguments(call, ["automation_id", "data"]);
    const automation = parsedAs(id, named.automation_id, ["automation_id"]);
    const data = parsedAs(inputs, named.data, ["data"]);
    return calling.ports.runWorkflow(calling.tenant, automation, data, originOf(calling));
  },
};

export const workflowMethods: Readonly<Record<string, Method>> = {
  "workflows.run_function": run,
  "workflows.run_workflow": runWorkflow,
};
