import * as z from "zod";
import { id, timestamp } from "./common.ts";
import { defineContract } from "./contract.ts";

const executionHeaders = {
  "X-Execution-Id": "The id of the execution, and of its `log` record.",
} as const;

const inputs = z
  .record(z.string(), z.unknown())
  .describe("The keyword arguments of the function, at most 1 MiB as JSON.");

const functionName = z
  .string()
  .max(200)
  .regex(/\.py$/, "Expected a file name that ends with .py.")
  .describe("The `file_name` of the function.")
  .meta({ examples: ["score_lead.py"] });

const runFunctionBody = z
  .strictObject({
    function_name: functionName.optional(),
    function_id: id.describe("The id of the `function` record.").optional(),
    inputs: inputs.optional(),
  })
  .superRefine(({ function_name, function_id }, { addIssue }) => {
    if ((function_name === undefined) === (function_id === undefined)) {
      addIssue({
        code: "custom",
        path: [function_name === undefined ? "function_name" : "function_id"],
        message: "Expected exactly one of function_name and function_id.",
      });
    }
  })
  .meta({ id: "RunFunctionRequest", examples: [{ function_name: "score_lead.py", inputs: { lead_id: "…" } }] });

const answer = z
  .unknown()
  .describe(
    'What the function returned. If it failed: `{"status": "error", "message", "error_type"}`, where `error_type` is the ' +
      "name of the exception, or `timeout`, `memory`, `killed`, `invalid_code`, `invalid_output`, `limit` or `interrupted`.",
  );

const runFaults = [
  "forbidden",
  "function_not_found",
  "execution_limit",
  "too_many_functions",
  "dependency_unavailable",
  "database_unavailable",
] as const;

export const runFunction = defineContract({
  operation: "runFunction",
  area: "automation",
  method: "POST",
  path: "/v1/automation/function",
  access: "user",
  summary: "Run a function",
  description:
    "Runs an active function in the name of the caller, who must be allowed to read its record, and waits for its end. " +
    "It may take 25 seconds here, or its own `timeout_seconds`, if that is less. A failure of the code is a 200 " +
    "too. Every execution leaves a `log` record. With an `Idempotency-Key` there is one execution, and a repetition " +
    "gives its outcome. An organization may run 20 functions at once.",
  request: { body: runFunctionBody },
  replies: { 200: { description: "The function has ended.", body: answer, headers: executionHeaders } },
  faults: [...runFaults, "execution_not_found"],
  idempotent: true,
});

const executionPath = z.object({ id: id.describe("The id of the execution, from `X-Execution-Id`.") });

const execution = z
  .object({
    id: z.string(),
    kind: z.string().describe("`function`, `trigger` or `automation`."),
    name: z.string().describe("The file name, or the name of the automation."),
    status: z.enum(["running", "waiting", "completed", "failed"]).describe("`waiting`: an automation in a delay."),
    place: z.string().describe("`api`, `trigger`, `automation`, `schedule`, `function`, `replay` or `public`."),
    user: z.object({ id: z.string(), name: z.string() }).describe("In whose name it ran."),
    started: timestamp,
    duration_ms: z.number().nullable().describe("Null while it runs."),
    inputs: z.unknown().describe("Without secrets. Large ones are cut: `{cut: true, bytes}`."),
    output: z.unknown().describe("As `inputs`."),
    error: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe("Of a failed one: `{kind, type, message, line?, field?, code?}`."),
    lines: z.array(z.unknown()).describe("What it logged: `{at, level, message}`. An automation: its nodes."),
    replayable: z.boolean().describe("Whether its inputs were kept as they were."),
  })
  .meta({ id: "Execution" });

export const getExecution = defineContract({
  operation: "getExecution",
  area: "automation",
  method: "GET",
  path: "/v1/automation/executions/{id}",
  access: "user",
  summary: "Read an execution",
  description:
    "How a function, a trigger or an automation ran, or that it runs. For the user in whose name it ran, and for those " +
    "who may read its `log` record.",
  request: { path: executionPath },
  replies: { 200: { description: "The execution.", body: execution } },
  faults: ["execution_not_found"],
});

export const replayExecution = defineContract({
  operation: "replayExecution",
  area: "automation",
  method: "POST",
  path: "/v1/automation/executions/{id}/replay",
  access: "user",
  summary: "Run an execution again",
  description:
    "Runs what was executed once more, with the same inputs, its present code, and in the name of the caller. It is refused if " +
    "the inputs were not kept as they were, because they are large or hold secrets.",
  request: { path: executionPath },
  replies: {
    200: {
      description: "It has ended; the reply is that of the route that runs it.",
      body: answer,
      headers: executionHeaders,
    },
  },
  faults: [
    ...runFaults,
    "automation_not_found",
    "automation_invalid",
    "execution_not_found",
    "execution_not_replayable",
  ],
  idempotent: true,
});
