import * as z from "zod";
import { timestamp } from "./common.ts";
import { defineContract } from "./contract.ts";

const begin = z
  .strictObject({
    function_name: z
      .string()
      .max(200)
      .regex(/\.py$/, "Expected a file name that ends with .py.")
      .describe("The name in the log. No function of this name need exist."),
    inputs: z.record(z.string(), z.unknown()).describe("The keyword arguments.").optional(),
  })
  .meta({ id: "BeginLocalExecutionRequest", examples: [{ function_name: "score_lead.py" }] });

const begun = z
  .object({
    id: z.string().describe("The id of the execution."),
    context_url: z.string().describe("Where the code's calls to the platform go."),
    token: z.string().describe("For these calls and for the end of the execution, until the deadline. Keep it secret."),
    deadline: timestamp,
    timeout_ms: z.int().describe("Milliseconds until the deadline."),
    user: z.record(z.string(), z.unknown()).describe("What the code sees as `platform.user`."),
  })
  .meta({ id: "LocalExecution" });

export const beginLocalExecution = defineContract({
  operation: "beginLocalExecution",
  area: "automation",
  method: "POST",
  path: "/v1/automation/executions",
  access: "admin",
  summary: "Begin an execution on one's own machine",
  description:
    "For developers: the code runs on the caller's machine (`tenantry function run --local`), and calls the platform in the " +
    "name of the caller for at most a minute. It needs no function record. Only in a sandbox, unless the operator of the " +
    "platform allows it everywhere. The execution leaves a `log` record.",
  request: { body: begin },
  replies: { 201: { description: "The execution has begun.", body: begun } },
  faults: ["too_many_functions", "database_unavailable"],
});

export const endLocalExecution = defineContract({
  operation: "endLocalExecution",
  area: "automation",
  method: "POST",
  path: "/v1/internal/executions/end",
  access: "capability",
  summary: "End an execution on one's own machine",
  request: {
    headers: z.object({ authorization: z.string().optional() }),
    // Checked after the token. `runAnswer` is its shape.
    body: z.unknown(),
  },
  replies: { 204: { description: "Its log record is written." } },
  faults: ["unauthenticated", "validation_failed", "database_unavailable"],
});
